import type { MeshRead } from '@kedge/config';
import { decode, encode, encodeParts, type RouteConfiguration, type VirtualHost } from '@kedge/envoy-api';
import { envoyFilterPatches, type PatchContext } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { gatewayVirtualHost } from '../gateway/virtual-host.ts';
import { type Generated, guardedPiece, type Origin } from '../guard.ts';
import { type EncodedPiece, resourceOfBytes } from '../resource.ts';
import { virtualHost } from '../routes/virtual-host.ts';
import { isFor, keysOf, type Patch, patchesOf } from './patch.ts';
import { patched } from './patched.ts';
import {
  addedVirtualHosts,
  hitsRoutes,
  hitsVirtualHost,
  routeConfigurationChanges,
  type RoutePlace,
  virtualHostChanges,
} from './route-patches.ts';
import { type PatchedHost, withoutClashes } from './virtual-host-clashes.ts';

const ROUTES = 'envoy.config.route.v3.RouteConfiguration';
const VIRTUAL_HOST = 'envoy.config.route.v3.VirtualHost';

/** Who makes virtual hosts, each by its plan as JSON. */
const MAKERS = { sidecar: virtualHost, gateway: gatewayVirtualHost } as const;

/** Virtual hosts as they are before they are patched, and how to come by them again. */
interface MadeHosts {
  readonly maker: keyof typeof MAKERS;
  /** JSON with the name and the domains, among others. */
  readonly plans: readonly string[];
  readonly made: readonly Generated<EncodedPiece>[];
}

type Skeleton = RouteConfiguration & { readonly name: string };

/**
 * A route configuration, put together of its virtual hosts and patched. Patches of the whole come before those of virtual
 * hosts, of which only those are taken apart that a patch is for.
 */
export function patchedRoutes(
  read: MeshRead,
  context: PatchContext,
  skeleton: Skeleton,
  hosts: MadeHosts,
  placeOf: () => RoutePlace,
): Generated {
  const keys = read(envoyFilterPatches, 'routes', context);
  const place = keys === '' ? undefined : placeOf();
  const patches = place ? patchesOf(read, keys).filter((patch) => hitsRoutes(patch, place)) : [];
  if (patches.length === 0) return assembled(skeleton, hosts.made);
  const { virtualHosts: own = [], ...settings } = skeleton;
  const frame = patched<RouteConfiguration, EncodedPiece>(
    { diagnostics: [] },
    settings,
    routeConfigurationChanges(patches),
    (message, from) => guardedPiece(ROUTES, skeleton.name, message, from),
  );
  const framed: RouteConfiguration = frame.value ? decode(ROUTES, frame.value.bytes) : settings;
  const { virtualHosts: brought = [], ...rest } = framed;
  const { diagnostics, ...made } = assembled(
    { ...rest, name: skeleton.name },
    withoutClashes([
      ...patchedHosts(read, patches, hosts),
      ...[...own, ...brought].map((host) => ({ now: changedHost({ diagnostics: [] }, host, patches) })),
      ...addedVirtualHosts(patches).map(({ value, origin }) => ({ now: guardedHost(value, [origin]) })),
    ]),
  );
  return { ...made, ...(frame.from ? { from: frame.from } : {}), diagnostics: [...frame.diagnostics, ...diagnostics] };
}

function assembled(skeleton: Skeleton, hosts: readonly Generated<EncodedPiece>[]): Generated {
  const parts = hosts.flatMap(({ value }) => (value ? [value.bytes] : []));
  const bytes = encodeParts(ROUTES, encode(ROUTES, skeleton), 'virtualHosts', parts);
  return {
    value: resourceOfBytes(ROUTES, skeleton.name, bytes),
    diagnostics: hosts.flatMap(({ diagnostics }) => diagnostics),
  };
}

function patchedHosts(read: MeshRead, patches: readonly Patch[], hosts: MadeHosts): readonly PatchedHost[] {
  const whole = patches.filter((patch) => isFor(patch, 'VIRTUAL_HOST')).filter(({ operation }) => operation !== 'ADD');
  const routes = patches.filter((patch) => isFor(patch, 'HTTP_ROUTE'));
  return hosts.made.map((before, at) => {
    const plan = hosts.plans[at] ?? '{}';
    const known = JSON.parse(plan) as Pick<VirtualHost, 'name' | 'domains'>;
    const isHit = (patch: Patch): boolean => hitsVirtualHost(patch, known);
    // What becomes of the virtual host as a whole may lead other patches to its routes.
    const hits = whole.some(isHit) ? [...whole, ...routes] : routes.filter(isHit);
    if (!before.value || hits.length === 0) return { now: before, before, known };
    return { now: read(patchedHost, hosts.maker, plan, keysOf(hits)), before };
  });
}

/** A virtual host that patches are for, by their keys: it is taken apart, changed as a message, and checked anew. */
const patchedHost = encodedQuery(
  'patchedVirtualHost',
  (read: MeshRead, maker: MadeHosts['maker'], plan: string, keys: string): Generated<EncodedPiece> => {
    const made = read(MAKERS[maker], plan);
    return made.value ? changedHost(made, decode(VIRTUAL_HOST, made.value.bytes), patchesOf(read, keys)) : made;
  },
);

const changedHost = (
  made: Generated<EncodedPiece>,
  message: VirtualHost,
  patches: readonly Patch[],
): Generated<EncodedPiece> =>
  patched(made.value ? made : guardedHost(message, []), message, virtualHostChanges(patches), guardedHost);

const guardedHost = (host: VirtualHost, from: readonly Origin[]): Generated<EncodedPiece> =>
  guardedPiece(VIRTUAL_HOST, host.name ?? '', host, from);
