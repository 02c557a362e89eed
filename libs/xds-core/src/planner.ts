import type { AnswerPool } from './answer-pool.ts';
import { Answer } from './answer.ts';
import type { Clock } from './clock.ts';
import type { Content, Dialect } from './dialect.ts';
import type { Difference, Differences } from './difference.ts';
import type { ConnectionRef, XdsEvent } from './events.ts';
import type { ClientClass, PushInfo, XdsGenerator } from './generator-registry.ts';
import type { DiscoveryServerOptions } from './options.ts';
import type { Subscription } from './subscription.ts';
import { acceptedBefore, removedAfter, sentAfter } from './type-urls.ts';
import type { WatchedResource } from './watched-resource.ts';

/** How long listeners and routes wait for the clusters of their push to be warm. */
const maxWarmingMs = 2_000;

/** The last push, from which everything is generated, also what clients ask for. */
export interface CurrentPush<Snapshot> extends PushInfo {
  readonly snapshot: Snapshot;
  /** Counts from 1; 0 before the first. */
  readonly number: number;
}

/** What planning needs of the server. */
export interface PlannerHost<Snapshot, Client, Request> {
  readonly options: DiscoveryServerOptions<Snapshot, Client, Request>;
  readonly clock: Clock;
  current(): CurrentPush<Snapshot>;
  readonly answers: AnswerPool;
  readonly differences: Differences;
  observe(event: XdsEvent<Client, Request>): void;
}

/** What to send. */
export interface Step {
  readonly difference: Difference;
  readonly content: Content;
  readonly generateMs: number;
  /** Whether the content is only what was asked for, since the client has refused the rest. */
  readonly partial: boolean;
  /** Whether something that the answer no longer holds is to be removed by a later step. */
  readonly keepsRemoved: boolean;
}

/** Decides what a connection is sent, and when: generation, comparison, and the order among types. Sends nothing. */
export class Planner<Snapshot, Client, Request> {
  readonly #connection: ConnectionRef<Client>;
  readonly #class: ClientClass;
  readonly #dialect: Dialect;
  readonly #host: PlannerHost<Snapshot, Client, Request>;
  /** Whether a type that isn't watched may still come, since the client continues where another stream ended. */
  readonly #mayStillWatch: () => boolean;

  constructor(
    connection: ConnectionRef<Client>,
    clientClass: ClientClass,
    dialect: Dialect,
    host: PlannerHost<Snapshot, Client, Request>,
    mayStillWatch: () => boolean,
  ) {
    this.#connection = connection;
    this.#class = clientClass;
    this.#dialect = dialect;
    this.#host = host;
    this.#mayStillWatch = mayStillWatch;
  }

  generator(typeUrl: string): XdsGenerator<Snapshot, Client> | undefined {
    return this.#host.options.generators.find(typeUrl, this.#class);
  }

  /** The answer to a subscription; undefined where there is none, or generating it failed. */
  generate(typeUrl: string, subscription: Subscription): Answer | undefined {
    const { client } = this.#connection;
    const push = this.#host.current();
    const { snapshot } = push;
    try {
      const answer = this.generator(typeUrl)?.generate({ snapshot, client, typeUrl, subscription, push });
      return answer && this.#host.answers.intern(typeUrl, answer);
    } catch (error) {
      this.#host.observe({ kind: 'generateFailed', connection: this.#connection, typeUrl, error });
      return undefined;
    }
  }

  /**
   * What the client is to be sent of a type now, where nothing is in flight. Where that is nothing the watch is no longer
   * due.
   */
  plan(watch: WatchedResource, watches: ReadonlyMap<string, WatchedResource>): Step | undefined {
    const step = this.#step(watch, watches);
    if (step === undefined || 'content' in step) return step;
    const { answer, keepsRemoved, generateMs } = step;
    if (answer !== undefined) {
      watch.unchanged(answer);
      const push = this.#host.current().number;
      const { typeUrl } = watch;
      this.#host.observe({ kind: 'unchanged', connection: this.#connection, push, typeUrl, generateMs });
    }
    watch.due = keepsRemoved;
    return undefined;
  }

  /** Whether the answer has become another than the one in flight. @param removals whether what is removed counts. */
  isAhead(watch: WatchedResource, removals: boolean): boolean {
    const answer = this.#answer(watch);
    if (answer === undefined || watch.inFlight === undefined) return false;
    const { changed, removed } = this.#host.differences.between(watch.inFlight.target, answer);
    return changed.length > 0 || (removals && removed.length > 0);
  }

  /**
   * Make before break: until when this type waits for what it may refer to, at most. Infinity where something of that
   * hasn't even been sent; 0 where nothing holds it up.
   */
  waitsUntil(watch: WatchedResource, watches: ReadonlyMap<string, WatchedResource>): number {
    if (watch.urgent) return 0;
    const unsent = (sentAfter[watch.typeUrl] ?? []).some((typeUrl) => {
      const other = watches.get(typeUrl);
      return other?.due === true && other.inFlight !== undefined && this.isAhead(other, false);
    });
    if (unsent) return Infinity;
    const warm = (acceptedBefore[watch.typeUrl] ?? []).map((typeUrl) => {
      const inFlight = watches.get(typeUrl)?.inFlight;
      return inFlight !== undefined && inFlight.content.fresh.length > 0 ? inFlight.sentAt + maxWarmingMs : 0;
    });
    return Math.max(0, ...warm);
  }

  #step(
    watch: WatchedResource,
    watches: ReadonlyMap<string, WatchedResource>,
  ): Step | { readonly answer: Answer | undefined; readonly keepsRemoved: boolean; readonly generateMs: number } {
    const { differences, clock } = this.#host;
    const started = clock.now();
    const answer = this.#answer(watch);
    const generateMs = clock.now() - started;
    if (answer === undefined) return { answer, keepsRemoved: false, generateMs };
    watch.recognize(answer);
    let difference = differences.between(watch.held, answer);
    const keepsRemoved = difference.removed.length > 0 && this.#keepsRemoved(watch, watches);
    if (keepsRemoved) difference = differences.between(watch.held, difference.grown);
    const refused = this.#isRefused(watch, difference.to);
    if (refused && !watch.wanting) return { answer: difference.to, keepsRemoved, generateMs };
    const asked = refused ? this.#dialect.composeAsked(watch, difference.to) : undefined;
    const content = asked ?? this.#dialect.compose(watch, difference);
    return content === undefined
      ? { answer: difference.to, keepsRemoved, generateMs }
      : { difference, content, partial: asked !== undefined, keepsRemoved, generateMs };
  }

  /** What is served: what was generated, save for what clients like this one refuse. */
  #answer({ typeUrl, subscription, held }: WatchedResource): Answer | undefined {
    const { refusals } = this.#host.options;
    const generated = subscription.empty ? Answer.empty : this.generate(typeUrl, subscription);
    return generated && (refusals?.serve(this.#connection, typeUrl, generated, held) ?? generated);
  }

  /** Whether the client has refused this very answer. */
  #isRefused(watch: WatchedResource, answer: Answer): boolean {
    if (watch.refused === undefined) return false;
    const { changed, removed } = this.#host.differences.between(watch.refused, answer);
    return changed.length === 0 && !removed.some((name) => watch.subscription.includes(name));
  }

  /** Make before break: whether types that may refer to what is removed aren't at their latest state yet. */
  #keepsRemoved(watch: WatchedResource, watches: ReadonlyMap<string, WatchedResource>): boolean {
    return (removedAfter[watch.typeUrl] ?? []).some((typeUrl) => {
      const user = watches.get(typeUrl);
      if (user === undefined) return this.#mayStillWatch();
      if (user.inFlight !== undefined || user.refused !== undefined) return true;
      return user.due && 'content' in this.#step(user, watches);
    });
  }
}
