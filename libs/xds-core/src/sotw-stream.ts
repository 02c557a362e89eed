import { decode } from '@kedge/envoy-api';
import type { EncodedResource } from './answer.ts';
import { type AdsRequest, askedOf, type Dialect, ownContent } from './dialect.ts';
import type { Difference } from './difference.ts';
import { frameSotwBody } from './response-framing.ts';
import type { Subscription, SubscriptionPool } from './subscription.ts';
import { isNamedOnly } from './type-urls.ts';
import { WatchedResource } from './watched-resource.ts';

/** State of the world: `AggregatedDiscoveryService.StreamAggregatedResources`. */
export const sotw: Dialect = {
  protocol: 'sotw',

  decode(bytes, lists): AdsRequest {
    const { request, names } = lists.decode(bytes, decodeRequest, ({ resourceNames }) => resourceNames);
    return {
      node: request.node,
      typeUrl: request.typeUrl ?? '',
      nonce: request.responseNonce ?? '',
      error: request.errorDetail,
      names,
      unsubscribed: [],
      initialVersions: {},
      version: request.versionInfo ?? '',
    };
  },

  begin(request, pool) {
    const watch = new WatchedResource(request.typeUrl, subscribed(request, pool, false));
    watch.named = request.names.length > 0;
    watch.mustAnswer = true;
    watch.resumed = request.version !== '';
    watch.ask(watch.subscription.names);
    // Only of a wildcard is the version a proof: a client drops what it unsubscribes without a new version.
    if (watch.subscription.wildcard) watch.claimedHash = hashIn(request.version);
    return watch;
  },

  resubscribe(watch, request, pool) {
    const former = watch.subscription;
    const next = former.isTo(request.names) ? former : subscribed(request, pool, watch.named);
    watch.named ||= request.names.length > 0;
    watch.resubscribe(next);
    if (isRepeated(watch, request)) {
      watch.mustAnswer = true;
      watch.ask(next.names);
    } else if (next !== former) {
      if (next.wildcard && !former.wildcard) watch.mustAnswer = true;
      watch.ask(next.beyond(former));
    }
  },

  compose(watch, difference) {
    const { to, changed } = difference;
    const { subscription } = watch;
    if (!isNamedOnly(watch.typeUrl)) {
      const lost = difference.removed.some((name) => subscription.includes(name));
      const silent = changed.length === 0 && !lost && !watch.wanting && watch.uncertain.size === 0;
      const fresh = watch.uncertain.size === 0 ? changed : to.resources;
      return silent ? undefined : { resources: to.resources, removed: [], fresh, sharedBy: to };
    }
    const again = namesBesides(watch, difference);
    if (changed.length === 0 && again.length === 0 && !watch.wanting) return undefined;
    const resources = again.length === 0 ? changed : [...changed, ...again];
    return { resources, removed: [], fresh: resources, sharedBy: again.length === 0 ? difference : undefined };
  },

  composeAsked(watch, to) {
    return isNamedOnly(watch.typeUrl) && watch.asked.size > 0
      ? ownContent(askedOf(watch, to).resources, [])
      : undefined;
  },

  frameBody: ({ resources }, shared) => frameSotwBody(resources, shared),

  version(watch, { to }, pushVersion) {
    return isNamedOnly(watch.typeUrl) ? pushVersion : `${pushVersion}/${to.hash}`;
  },
};

const decodeRequest = (bytes: Uint8Array) => decode('envoy.service.discovery.v3.DiscoveryRequest', bytes);

/** No names at all mean everything, for types that know it, until names were given once. */
function subscribed(request: AdsRequest, pool: SubscriptionPool, named: boolean): Subscription {
  if (request.names.length > 0) return pool.of(request.names);
  return named || isNamedOnly(request.typeUrl) ? pool.none : pool.all;
}

/** A client that gives no nonce though it was answered begins anew. */
function isRepeated(watch: WatchedResource, { nonce }: AdsRequest): boolean {
  return nonce === '' && watch.nonceSent !== '' && watch.inFlight === undefined;
}

/** Resources that go out though they are unchanged: asked for, or of unknown state. */
function namesBesides(watch: WatchedResource, { to }: Difference): readonly EncodedResource[] {
  const again: EncodedResource[] = [];
  for (const name of watch.unsettledNames()) {
    const resource = watch.subscription.includes(name) ? to.get(name) : undefined;
    if (resource !== undefined && watch.held.versionOf(name) === resource.version) again.push(resource);
  }
  return again;
}

function hashIn(version: string): string {
  return version.split('/')[2] ?? '';
}
