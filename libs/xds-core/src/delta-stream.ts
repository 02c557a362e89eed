import { decode } from '@kedge/envoy-api';
import { type EncodedResource, InitialVersions } from './answer.ts';
import { type AdsRequest, askedOf, type Dialect, ownContent } from './dialect.ts';
import { type Difference, isSendable } from './difference.ts';
import { frameDeltaBody } from './response-framing.ts';
import { isNamedOnly } from './type-urls.ts';
import { WatchedResource } from './watched-resource.ts';

/** Incremental: `AggregatedDiscoveryService.DeltaAggregatedResources`. */
export const delta: Dialect = {
  protocol: 'delta',

  decode(bytes, lists): AdsRequest {
    const { request, names } = lists.decode(
      bytes,
      decodeRequest,
      ({ resourceNamesSubscribe }) => resourceNamesSubscribe,
    );
    return {
      node: request.node,
      typeUrl: request.typeUrl ?? '',
      nonce: request.responseNonce ?? '',
      error: request.errorDetail,
      names,
      unsubscribed: request.resourceNamesUnsubscribe ?? [],
      initialVersions: request.initialResourceVersions ?? {},
      version: '',
    };
  },

  begin(request, pool) {
    // A client that never named anything asks for everything, where the type knows that.
    const initial = request.names.length > 0 || isNamedOnly(request.typeUrl) ? pool.none : pool.all;
    const watch = new WatchedResource(request.typeUrl, pool.change(initial, request.names, request.unsubscribed));
    const versions = Object.entries(request.initialVersions);
    if (versions.length > 0) watch.held = new InitialVersions(versions);
    watch.resumed = versions.length > 0;
    watch.mustAnswer = watch.subscription.wildcard && versions.length === 0;
    watch.ask(watch.subscription.names.filter((name) => watch.held.versionOf(name) === undefined));
    return watch;
  },

  resubscribe(watch, request, pool) {
    const former = watch.subscription;
    const next = pool.change(former, request.names, request.unsubscribed);
    watch.resubscribe(next);
    if (next.wildcard && !former.wildcard) {
      watch.mustAnswer = true;
      watch.resendAll = true;
    }
    const asked = request.names.filter((name) => next.has(name));
    // Of a name that is given up while everything stays subscribed the client must hear again.
    const stillCovered = request.unsubscribed.filter((name) => next.wildcard && former.has(name));
    if (asked.length + stillCovered.length > 0) watch.ask([...asked, ...stillCovered]);
  },

  compose(watch, difference) {
    const { to, changed } = difference;
    if (watch.resendAll) return ownContent(to.resources.filter(isSendable), concerningRemovals(watch, difference));
    const again: EncodedResource[] = [];
    const missing: string[] = [];
    for (const name of watch.unsettledNames()) {
      if (!watch.subscription.includes(name)) continue;
      const resource = to.get(name);
      const version = watch.held.versionOf(name);
      if (resource === undefined && version === undefined) missing.push(name);
      else if (resource !== undefined && resource.version === version && isSendable(resource)) again.push(resource);
    }
    const removed = concerningRemovals(watch, difference);
    if (changed.length + again.length + missing.length + removed.length === 0 && !watch.mustAnswer) return undefined;
    if (again.length + missing.length === 0 && removed === difference.removed) {
      return { resources: changed, removed, fresh: changed, sharedBy: difference };
    }
    return ownContent([...changed, ...again], [...removed, ...missing]);
  },

  composeAsked(watch, to) {
    const { resources, missing } = askedOf(watch, to);
    return resources.length + missing.length === 0 ? undefined : ownContent(resources, missing);
  },

  frameBody: ({ resources, removed }, shared) => frameDeltaBody(resources, removed, shared),

  version: (_watch, _difference, pushVersion) => pushVersion,
};

const decodeRequest = (bytes: Uint8Array) => decode('envoy.service.discovery.v3.DeltaDiscoveryRequest', bytes);

/** What the client hasn't dropped by itself, when it unsubscribed. */
function concerningRemovals(watch: WatchedResource, { removed }: Difference): readonly string[] {
  const { subscription, heldFor } = watch;
  if (removed.length === 0 || heldFor === subscription) return removed;
  return removed.filter((name) => subscription.includes(name));
}
