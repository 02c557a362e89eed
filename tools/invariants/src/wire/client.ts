import { hash } from 'node:crypto';
import { decodeAny, encode } from '@kedge/envoy-api';
import { TYPE_URLS } from '@kedge/networking';
import { type Answers, namesAlwaysAsked, type ShortType, wildcardSubscriptions } from '../answers.ts';
import { delimitedFields } from './fields.ts';
import type { LocalStream } from './local-stream.ts';

export type Protocol = 'sotw' | 'delta';

/** A resource as a client holds it. */
interface Held {
  readonly content: string;
  /** What it asks for by name. */
  readonly needs: readonly string[];
}

interface Received {
  readonly type: ShortType;
  readonly typeUrl: string;
  readonly nonce: string;
  readonly version: string;
  readonly resources: ReadonlyMap<string, Held>;
  readonly removed: readonly string[];
}

const shortTypes = new Map(Object.entries(TYPE_URLS).map(([short, url]) => [url as string, short as ShortType]));
/** Types of which a proxy has one resource, which doesn't say its name. */
const NAMELESS: ReadonlySet<ShortType> = new Set<ShortType>(['NDS', 'PCDS']);

const isWildcard = (type: ShortType): boolean => type in wildcardSubscriptions;

/** By these parts of what it has a client asks for more, as Envoy does. */
const FOLLOWED: Readonly<Partial<Record<ShortType, ShortType>>> = { CDS: 'EDS', LDS: 'RDS' };

/** What contents ask for: mostly few come, and often. It is begun anew before it grows for ever. */
const requirements = new Map<string, readonly string[]>();
const MOST_REMEMBERED = 5000;

/**
 * An Envoy as far as the protocol goes: it applies what it receives, accepts it, and asks by name for what its clusters and
 * listeners need.
 */
export class WireClient {
  readonly #stream: LocalStream;
  readonly #protocol: Protocol;
  readonly #node: object;
  readonly #held = new Map<ShortType, Map<string, Held>>();
  readonly #names = new Map<ShortType, ReadonlySet<string>>();
  readonly #accepted = new Map<ShortType, { readonly version: string; readonly nonce: string }>();
  #isIntroduced = false;
  /** Messages that came, for those who want none. */
  received = 0;

  constructor(stream: LocalStream, protocol: Protocol, nodeId: string) {
    this.#stream = stream;
    this.#protocol = protocol;
    this.#node = { id: nodeId };
    for (const type of Object.keys(wildcardSubscriptions) as ShortType[]) this.#ask(type, new Set());
    for (const type of Object.keys(namesAlwaysAsked) as ShortType[]) this.#ask(type, new Set(always(type)));
  }

  /** Takes, applies and accepts what has come. @returns whether there was anything. */
  work(): boolean {
    const message = this.#stream.take();
    if (!message) return false;
    this.received += 1;
    const response = this.#protocol === 'delta' ? readDelta(message) : readSotw(message);
    this.#apply(response);
    this.#reply(response);
    const followed = FOLLOWED[response.type];
    if (followed) this.#follow(response.type, followed);
    return true;
  }

  /**
   * What it holds: a line for each resource, sorted; as {@link freshLines}. State of the world can't tell that what was asked
   * for by name is gone, so there only counts what others hold too.
   */
  lines(fresh: readonly string[]): readonly string[] {
    const known = new Set(fresh.map(withoutContent));
    const isTold = (type: ShortType, name: string): boolean =>
      this.#protocol === 'delta' || isWildcard(type) || known.has(`${type} ${name}`);
    return [...this.#held]
      .flatMap(([type, resources]) =>
        [...resources].flatMap(([name, { content }]) => (isTold(type, name) ? [`${type} ${name} ${content}`] : [])),
      )
      .sort();
  }

  hangUp(): void {
    this.#stream.end();
  }

  #heldOf(type: ShortType): Map<string, Held> {
    let held = this.#held.get(type);
    if (!held) this.#held.set(type, (held = new Map()));
    return held;
  }

  #apply({ type, resources, removed }: Received): void {
    const held = this.#heldOf(type);
    // Only answers about all clusters or all listeners say by leaving something out that it is gone.
    if (this.#protocol === 'sotw' && isWildcard(type)) held.clear();
    for (const [name, resource] of resources) {
      if (isWildcard(type) || this.#names.get(type)?.has(name)) held.set(name, resource);
    }
    for (const name of removed) held.delete(name);
  }

  #reply({ type, typeUrl, nonce, version }: Received): void {
    this.#accepted.set(type, { version, nonce });
    if (this.#protocol === 'delta') this.#send({ typeUrl, responseNonce: nonce });
    else this.#sendNames(type);
  }

  #follow(type: ShortType, followed: ShortType): void {
    const needed = [...this.#heldOf(type).values()].flatMap(({ needs }) => needs);
    const next = new Set([...needed, ...always(followed)]);
    const last = this.#names.get(followed) ?? new Set();
    if (next.size !== last.size || without(next, last).length > 0) this.#ask(followed, next);
  }

  #ask(type: ShortType, names: ReadonlySet<string>): void {
    const last = this.#names.get(type) ?? new Set<string>();
    this.#names.set(type, names);
    const gone = without(last, names);
    for (const name of gone) this.#heldOf(type).delete(name);
    if (this.#protocol === 'sotw') return this.#sendNames(type);
    this.#send({
      typeUrl: TYPE_URLS[type],
      resourceNamesSubscribe: without(names, last),
      resourceNamesUnsubscribe: gone,
    });
  }

  #sendNames(type: ShortType): void {
    const { version, nonce } = this.#accepted.get(type) ?? {};
    this.#send({
      typeUrl: TYPE_URLS[type],
      resourceNames: [...(this.#names.get(type) ?? [])].sort(),
      versionInfo: version,
      responseNonce: nonce,
    });
  }

  #send(request: object): void {
    const type = `envoy.service.discovery.v3.${this.#protocol === 'delta' ? 'DeltaDiscoveryRequest' : 'DiscoveryRequest'}`;
    const node = this.#isIntroduced ? {} : { node: this.#node };
    this.#isIntroduced = true;
    this.#stream.send(encode(type as 'envoy.service.discovery.v3.DiscoveryRequest', { ...node, ...request }));
  }
}

const always = (type: ShortType): readonly string[] => namesAlwaysAsked[type] ?? [];

const without = (names: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...names].filter((name) => !others.has(name)).sort();

const text = (bytes: Uint8Array | undefined): string => (bytes ? Buffer.from(bytes).toString() : '');

const withoutContent = (line: string): string => line.slice(0, line.lastIndexOf(' '));

/** What a fresh server gives a proxy, as {@link WireClient.lines}. */
export function freshLines(answers: Answers): readonly string[] {
  return (Object.keys(answers) as ShortType[])
    .flatMap((type) =>
      answers[type].map(({ name, any }) => `${type} ${NAMELESS.has(type) ? '' : name} ${contentOf(any)}`),
    )
    .sort();
}

/** What an encoded Any holds, as it is compared: by its bytes. */
const contentOf = (any: Uint8Array): string => hash('sha256', any, 'base64url');

function held(type: ShortType, any: Uint8Array): Held {
  const content = contentOf(any);
  if (!(type in FOLLOWED)) return { content, needs: [] };
  const known = requirements.get(content);
  if (known) return { content, needs: known };
  const needs = neededBy(decodeAny(any));
  if (requirements.size >= MOST_REMEMBERED) requirements.clear();
  requirements.set(content, needs);
  return { content, needs };
}

/** The names that a cluster or listener asks for. */
function neededBy(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const { type, name, edsClusterConfig, routeConfigName } = value as Readonly<Record<string, unknown>>;
  if (type === 'EDS') return [String((edsClusterConfig as { serviceName?: string } | undefined)?.serviceName || name)];
  if (typeof routeConfigName === 'string') return [routeConfigName];
  return Object.values(value).flatMap(neededBy);
}

function readSotw(message: Uint8Array): Received {
  const fields = delimitedFields(message);
  const typeUrl = text(fields.get(4)?.[0]);
  const type = shortTypes.get(typeUrl) ?? 'CDS';
  const resources = (fields.get(2) ?? []).map((any): readonly [string, Held] => {
    // The first field of all others is their name.
    const value = delimitedFields(any).get(2)?.[0] ?? new Uint8Array();
    const name = NAMELESS.has(type) ? '' : text(delimitedFields(value).get(1)?.[0]);
    return [name, held(type, any)];
  });
  return {
    type,
    typeUrl,
    nonce: text(fields.get(5)?.[0]),
    version: text(fields.get(1)?.[0]),
    resources: new Map(resources),
    removed: [],
  };
}

function readDelta(message: Uint8Array): Received {
  const fields = delimitedFields(message);
  const typeUrl = text(fields.get(4)?.[0]);
  const type = shortTypes.get(typeUrl) ?? 'CDS';
  const nameOf = (name: string): string => (NAMELESS.has(type) ? '' : name);
  const resources = (fields.get(2) ?? []).map((resource): readonly [string, Held] => {
    const parts = delimitedFields(resource);
    return [nameOf(text(parts.get(3)?.[0])), held(type, parts.get(2)?.[0] ?? new Uint8Array())];
  });
  return {
    type,
    typeUrl,
    nonce: text(fields.get(5)?.[0]),
    version: text(fields.get(1)?.[0]),
    resources: new Map(resources),
    removed: (fields.get(6) ?? []).map(text).map(nameOf),
  };
}
