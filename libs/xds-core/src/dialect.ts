import type { Node, Status } from '@kedge/envoy-api';
import type { Answer, EncodedResource } from './answer.ts';
import { type Difference, isSendable } from './difference.ts';
import type { Protocol } from './events.ts';
import type { FramedRuns } from './framed-runs.ts';
import type { NameLists } from './name-lists.ts';
import type { Body } from './response-framing.ts';
import type { Subscription, SubscriptionPool } from './subscription.ts';
import type { WatchedResource } from './watched-resource.ts';

/** A request of either protocol. */
export interface AdsRequest {
  readonly node: Node | undefined;
  readonly typeUrl: string;
  readonly nonce: string;
  readonly error: Status | undefined;
  /** State of the world: all names that are subscribed. Delta: those that are added. */
  readonly names: readonly string[];
  readonly unsubscribed: readonly string[];
  /** Delta, first request of a type: what the client holds from an earlier stream. */
  readonly initialVersions: Readonly<Record<string, string>>;
  /** State of the world: the last version that the client accepted. */
  readonly version: string;
}

/** What a response says. */
export interface Content {
  readonly resources: readonly EncodedResource[];
  readonly removed: readonly string[];
  /** Those of the resources that may be new to the client: what they require is sent again. */
  readonly fresh: readonly EncodedResource[];
  /** What determines the content where it doesn't depend on the connection's past: bodies are shared by it. */
  readonly sharedBy: object | undefined;
}

/** Where state of the world and delta differ. */
export interface Dialect {
  readonly protocol: Protocol;
  /** Throws where the bytes are no request. */
  decode(bytes: Uint8Array, lists: NameLists): AdsRequest;
  /** The watch that the first request for a type begins. */
  begin(request: AdsRequest, pool: SubscriptionPool): WatchedResource;
  /** Applies the names of a later request. */
  resubscribe(watch: WatchedResource, request: AdsRequest, pool: SubscriptionPool): void;
  /** What to send so that the client gets to `difference.to`; undefined where nothing needs to be sent. */
  compose(watch: WatchedResource, difference: Difference): Content | undefined;
  /** An answer that holds only what was asked for; undefined where answers are complete or nothing was asked for. */
  composeAsked(watch: WatchedResource, to: Answer): Content | undefined;
  /** @param shared where the parts that other bodies hold too are looked for. */
  frameBody(content: Content, shared?: FramedRuns): Body;
  /** The version that a response shows. */
  version(watch: WatchedResource, difference: Difference, pushVersion: string): string;
}

/** Content that no other connection shares. */
export function ownContent(resources: readonly EncodedResource[], removed: readonly string[]): Content {
  return { resources, removed, fresh: resources, sharedBy: undefined };
}

/** What there is of the names that were asked for, and which of them there are not. */
export function askedOf(watch: WatchedResource, to: Answer) {
  const resources: EncodedResource[] = [];
  const missing: string[] = [];
  for (const name of watch.asked) {
    const resource = to.get(name);
    if (!watch.subscription.includes(name)) continue;
    if (resource === undefined) missing.push(name);
    else if (isSendable(resource)) resources.push(resource);
  }
  return { resources, missing };
}

/** What a one-off request asks for; it begins no watch. */
export function oneShotSubscription(request: AdsRequest, pool: SubscriptionPool): Subscription {
  return request.names.length === 0 ? pool.all : pool.of(request.names);
}
