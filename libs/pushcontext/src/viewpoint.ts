import type { MeshRead } from '@kedge/config';
import { derivedFact, query } from '@kedge/incremental';
import type { Service } from '@kedge/model';
import { services } from '@kedge/registry';
import { alike } from './equality.ts';
import { configNamespace } from './proxy-facts.ts';
import { sidecarOf } from './sidecar.ts';
import { headsOnGateway, MESH_GATEWAY, sourceNamespaces } from './virtual-services.ts';

/**
 * The namespaces from which the mesh looks another than from most: something is exported to them by name, they have a host
 * that other namespaces have too, or routes tell them apart.
 */
const peculiarNamespaces = query(
  'peculiarNamespaces',
  (read: MeshRead): ReadonlySet<string> => new Set([...ofServices(read(services)), ...ofRoutes(read)]),
  alike,
);

function* ofServices(all: readonly Service[]): Generator<string> {
  const owners = new Map<string, string>();
  for (const { hostname, namespace, exportTo } of all) {
    if (exportTo !== '*') yield* exportTo;
    const first = owners.get(hostname);
    if (first === undefined) owners.set(hostname, namespace);
    else if (first !== namespace) yield* [first, namespace];
  }
}

function* ofRoutes(read: MeshRead): Generator<string> {
  for (const { namespace, name, visibility, semantics } of read(headsOnGateway, MESH_GATEWAY)) {
    if (visibility !== '*') yield* visibility;
    if (semantics === 'gateway') yield namespace;
    yield* read(sourceNamespaces, namespace, name);
  }
}

/**
 * The namespace that the proxy looks at the mesh from, as far as that makes a difference: empty for all namespaces that have
 * nothing of their own, so that their proxies share what they see.
 */
export const viewpoint = derivedFact('viewpoint', (read: MeshRead): string => {
  const namespace = read.fact(configNamespace);
  return read(sidecarOf) || read(peculiarNamespaces).has(namespace) ? namespace : '';
});
