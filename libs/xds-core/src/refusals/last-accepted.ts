import { Answer, type EncodedResource, type Held } from '../answer.ts';
import { kept } from '../difference.ts';
import type { ConnectionRef } from '../events.ts';
import type { Nack } from '../nack.ts';
import type { JudgedAnswer, Refusals } from '../options.ts';
import { isSensitive } from '../type-urls.ts';
import { namesIn } from './names-in.ts';
import { RecentSet } from './recent-set.ts';
import { acquit, convict, forget, group, nextTrial, type Suspect } from './suspect.ts';

/** How many versions a class of clients is remembered to have accepted, at least. */
const REMEMBERED_VERSIONS = 50_000;
/** How many classes are told apart; what clients say of themselves decides, so it needs a bound. */
const MOST_CLASSES = 64;
/** How many suspects of one class there may be; what is refused beyond that is not sent again, as without fallback. */
const MOST_SUSPECTS = 10_000;
/** How long a suspect is remembered that concerns nobody who is connected, in milliseconds. */
const REMEMBERED_MS = 10 * 60 * 1000;

/** Something is suspected for the first time, found to be the culprit, accepted after all, or nobody's concern any more. */
export type SuspectEvent = 'suspected' | 'convicted' | 'accepted' | 'replaced';

export interface LastAcceptedOptions<Client> {
  /** Clients of one class accept and refuse the same. */
  classOf(client: Client): string;
  /**
   * Whether the resource, as it is generated now, differs from what was generated at an earlier push in something that
   * nobody must be served outdated. Asked of what was refused.
   */
  mustNotRevert(client: Client, typeUrl: string, name: string, since: number): boolean;
  /** What is served to these clients may differ now. */
  reconsider(clients: readonly Client[], typeUrl: string): void;
  observe?(event: SuspectEvent, suspect: Suspect<Client>): void;
  now(): number;
}

interface ClassState<Client> {
  readonly name: string;
  readonly accepted: RecentSet<string>;
  /** Lists of which all members are in `accepted`: many clients are sent the identical one. */
  readonly acceptedLists: WeakSet<readonly EncodedResource[]>;
  /** By type, then by name and version. */
  readonly suspects: Map<string, Map<string, Suspect<Client>>>;
}

/**
 * Keeps a resource that clients refuse from stopping everything else: what they refuse, and none of them has ever accepted,
 * is replaced by what they accepted before, or left out where there was nothing. Where it isn't clear which resource of an
 * answer was refused, the suspects are sent again in parts until it is. A client's own verdict counts most: what it holds it
 * keeps, and what it alone has refused, without having held anything before, is kept from nobody else.
 */
export class LastAccepted<Client extends object> implements Refusals<Client> {
  readonly #options: LastAcceptedOptions<Client>;
  readonly #classes = new Map<string, ClassState<Client>>();
  readonly #classOf = new WeakMap<Client, ClassState<Client>>();
  /** The push of the last answer that a client accepted, by type. */
  readonly #acceptedAt = new WeakMap<ConnectionRef<Client>, Map<string, number>>();
  /** The push up to which a resource that is a fallback now is known to have been current. */
  readonly #currentUntil = new WeakMap<EncodedResource, number>();
  /** Answers with replacements, by what was generated and what is replaced in it. */
  readonly #replaced = new WeakMap<Answer, Map<string, Answer>>();

  constructor(options: LastAcceptedOptions<Client>) {
    this.#options = options;
  }

  /** All that is kept from clients now. */
  list(): readonly Suspect<Client>[] {
    return [...this.#classes.values()].flatMap(({ suspects }) =>
      [...suspects.values()].flatMap((ofType) => [...ofType.values()]),
    );
  }

  serve(connection: ConnectionRef<Client>, typeUrl: string, generated: Answer, held: Held): Answer {
    const ofClass = this.#class(connection.client);
    const suspects = ofClass.suspects.get(typeUrl);
    if (suspects === undefined) return generated;
    const replacements = new Map<string, EncodedResource | undefined>();
    for (const suspect of suspects.values()) {
      const { name, version } = suspect;
      if (generated.versionOf(name) !== version) this.#concernsNoMore(ofClass, suspect, connection);
      else if (this.#isKeptFrom(suspect, connection, held)) {
        suspect.keptFrom.add(connection);
        if (suspect.triedBy !== connection) replacements.set(name, replacementOf(suspect, held));
      }
    }
    return replacements.size === 0 ? generated : this.#replace(generated, replacements);
  }

  refused(connection: ConnectionRef<Client>, typeUrl: string, { sent, held, push }: JudgedAnswer, nack: Nack): boolean {
    if (isSensitive(typeUrl)) return false;
    this.#endTrial(connection, typeUrl);
    const ofClass = this.#class(connection.client);
    const possible = sent.filter(
      ({ name, version }) => !ofClass.accepted.has(version) && held.versionOf(name) !== version,
    );
    const named = namesIn(
      nack.message,
      possible.map(({ name }) => name),
    );
    const refused = named.size > 0 ? possible.filter(({ name }) => named.has(name)) : possible;
    const since = this.#acceptedAt.get(connection)?.get(typeUrl) ?? push;
    const suspects = refused
      .map((resource) => this.#suspect(connection, typeUrl, resource, { nack, held, since }))
      .filter((suspect) => suspect !== undefined);
    if (named.size === 0 && suspects.length > 1) group(suspects);
    else for (const suspect of suspects.filter(({ convicted }) => !convicted)) this.#convict(suspect);
    return suspects.length > 0;
  }

  accepted(connection: ConnectionRef<Client>, typeUrl: string, { sent, push }: JudgedAnswer): boolean {
    const ofClass = this.#class(connection.client);
    if (!ofClass.acceptedLists.has(sent)) {
      ofClass.acceptedLists.add(sent);
      for (const { version } of sent) ofClass.accepted.add(version);
    }
    let acceptedAt = this.#acceptedAt.get(connection);
    if (acceptedAt === undefined) this.#acceptedAt.set(connection, (acceptedAt = new Map()));
    acceptedAt.set(typeUrl, push);
    const suspects = ofClass.suspects.get(typeUrl);
    if (suspects === undefined) return false;
    this.#endTrial(connection, typeUrl);
    for (const { name, version } of sent) {
      const suspect = suspects.get(keyOf(name, version));
      if (suspect !== undefined) this.#acquit(ofClass, suspect, connection);
    }
    return this.#startTrial(connection, suspects);
  }

  closed(connection: ConnectionRef<Client>): void {
    const now = this.#options.now();
    const ofClass = this.#class(connection.client);
    for (const ofType of ofClass.suspects.values()) {
      for (const suspect of ofType.values()) {
        if (suspect.triedBy === connection) suspect.triedBy = undefined;
        suspect.keptFrom.delete(connection);
        suspect.refusedBy.delete(connection);
        const isNeeded = suspect.fallback !== undefined && suspect.nack.at + REMEMBERED_MS > now;
        if (isOrphan(suspect) && !isNeeded) this.#drop(ofClass, suspect);
      }
    }
  }

  #class(client: Client): ClassState<Client> {
    const known = this.#classOf.get(client);
    if (known !== undefined) return known;
    const name = this.#options.classOf(client);
    let found = this.#classes.get(name);
    if (found === undefined) {
      const accepted = new RecentSet<string>(REMEMBERED_VERSIONS);
      found = { name, accepted, acceptedLists: new WeakSet(), suspects: new Map() };
      this.#classes.set(name, found);
      const [oldest] = this.#classes.keys();
      if (this.#classes.size > MOST_CLASSES && oldest !== undefined) this.#classes.delete(oldest);
    }
    this.#classOf.set(client, found);
    return found;
  }

  /** Whether a client isn't served what is suspected. What it holds it has accepted itself. */
  #isKeptFrom(suspect: Suspect<Client>, connection: ConnectionRef<Client>, held: Held): boolean {
    if (held.versionOf(suspect.name) === suspect.version) return false;
    return suspect.fallback !== undefined || suspect.refusedBy.has(connection);
  }

  #replace(generated: Answer, replacements: ReadonlyMap<string, EncodedResource | undefined>): Answer {
    const key = [...replacements].map(([name, resource]) => `${name}\0${resource?.version ?? ''}`).join('\0');
    let known = this.#replaced.get(generated);
    if (known === undefined) this.#replaced.set(generated, (known = new Map()));
    let replaced = known.get(key);
    if (replaced === undefined) {
      const resources = generated.resources.map((resource) =>
        replacements.has(resource.name) ? replacements.get(resource.name) : resource,
      );
      known.set(key, (replaced = new Answer(resources.filter((resource) => resource !== undefined))));
    }
    return replaced;
  }

  #suspect(
    connection: ConnectionRef<Client>,
    typeUrl: string,
    { name, version }: EncodedResource,
    { nack, held, since }: { readonly nack: Nack; readonly held: Held; readonly since: number },
  ): Suspect<Client> | undefined {
    const ofClass = this.#class(connection.client);
    let ofType = ofClass.suspects.get(typeUrl);
    if (ofType === undefined) ofClass.suspects.set(typeUrl, (ofType = new Map()));
    let suspect = ofType.get(keyOf(name, version));
    const isNew = suspect === undefined;
    if (suspect === undefined) {
      if (ofType.size >= MOST_SUSPECTS) return undefined;
      suspect = {
        typeUrl,
        name,
        version,
        clientClass: ofClass.name,
        since: nack.at,
        fallback: undefined,
        withheld: false,
        convicted: false,
        nack,
        refusals: 0,
        refusedBy: new Set(),
        keptFrom: new Set(),
        triedBy: undefined,
        groups: [],
      };
      ofType.set(keyOf(name, version), suspect);
    }
    suspect.nack = nack;
    suspect.refusals += 1;
    suspect.refusedBy.add(connection);
    const fallback = held instanceof Answer ? held.get(name) : undefined;
    if (fallback !== undefined && fallback !== suspect.fallback) {
      const until = this.#currentUntil.get(fallback) ?? since;
      this.#currentUntil.set(fallback, until);
      suspect.fallback = fallback;
      suspect.withheld = this.#options.mustNotRevert(connection.client, typeUrl, name, until);
    }
    if (isNew) this.#options.observe?.('suspected', suspect);
    return suspect;
  }

  #startTrial(connection: ConnectionRef<Client>, suspects: ReadonlyMap<string, Suspect<Client>>): boolean {
    const mine = [...suspects.values()].filter(({ keptFrom }) => keptFrom.has(connection));
    const trial = nextTrial(mine);
    for (const suspect of trial) suspect.triedBy = connection;
    return trial.length > 0;
  }

  #endTrial(connection: ConnectionRef<Client>, typeUrl: string): void {
    for (const suspect of this.#class(connection.client).suspects.get(typeUrl)?.values() ?? []) {
      if (suspect.triedBy === connection) suspect.triedBy = undefined;
    }
  }

  #convict(suspect: Suspect<Client>): void {
    convict(suspect);
    this.#options.observe?.('convicted', suspect);
  }

  #acquit(ofClass: ClassState<Client>, suspect: Suspect<Client>, by: ConnectionRef<Client>): void {
    for (const convicted of acquit(suspect)) this.#options.observe?.('convicted', convicted);
    this.#remove(ofClass, suspect, 'accepted');
    const others = [...suspect.keptFrom].filter((connection) => connection !== by);
    const clients = others.map(({ client }) => client);
    if (clients.length > 0) this.#options.reconsider(clients, suspect.typeUrl);
  }

  /** The client is generated something else under the name, or nothing. */
  #concernsNoMore(ofClass: ClassState<Client>, suspect: Suspect<Client>, connection: ConnectionRef<Client>): void {
    if (suspect.triedBy === connection) suspect.triedBy = undefined;
    const concerned = [suspect.keptFrom.delete(connection), suspect.refusedBy.delete(connection)].includes(true);
    if (concerned && isOrphan(suspect)) this.#drop(ofClass, suspect);
  }

  #drop(ofClass: ClassState<Client>, suspect: Suspect<Client>): void {
    forget(suspect);
    this.#remove(ofClass, suspect, 'replaced');
  }

  #remove(ofClass: ClassState<Client>, suspect: Suspect<Client>, why: 'accepted' | 'replaced'): void {
    const { typeUrl, name, version } = suspect;
    const ofType = ofClass.suspects.get(typeUrl);
    ofType?.delete(keyOf(name, version));
    if (ofType?.size === 0) ofClass.suspects.delete(typeUrl);
    this.#options.observe?.(why, suspect);
  }
}

/** What a client is served in place of a suspect: what it holds already, if anything. */
function replacementOf({ name, fallback, withheld }: Suspect<unknown>, held: Held): EncodedResource | undefined {
  if (held.versionOf(name) !== undefined) return kept(held, name);
  return withheld ? undefined : fallback;
}

const isOrphan = ({ keptFrom, refusedBy }: Suspect<unknown>): boolean => keptFrom.size === 0 && refusedBy.size === 0;

const keyOf = (name: string, version: string): string => `${name}\0${version}`;
