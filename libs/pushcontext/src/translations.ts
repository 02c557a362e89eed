import { istioSources, type MeshRead, objectKey, SINGLE } from '@kedge/config';
import { query, source } from '@kedge/incremental';
import type { ConfigOf } from '@kedge/model';
import { isDiscoverable, type MeshQuery } from '@kedge/registry';
import { sameMembers } from './equality.ts';

type Gateway = ConfigOf<'Gateway'>;
type VirtualService = ConfigOf<'VirtualService'>;

/** What objects of another API (Ingress, say) come to, as Gateways and VirtualServices. Equal objects should be identical. */
export interface Translation {
  readonly gateways: MeshQuery<[], readonly Gateway[]>;
  readonly virtualServices: MeshQuery<[], readonly VirtualService[]>;
}

/** The translations in use, under the key {@link SINGLE}. */
export const translationsSource = source<readonly Translation[]>('Translations', sameMembers);

const translations = (read: MeshRead): readonly Translation[] => read.get(translationsSource, SINGLE) ?? [];

/** The object, unless `discoverySelectors` keep its namespace unseen. */
function seen<T extends { readonly namespace: string }>(read: MeshRead, config: T | undefined): T | undefined {
  return config && read(isDiscoverable, config.namespace) ? config : undefined;
}

/** All Gateways, those that were translated included, in no particular order. */
export function allGateways(read: MeshRead): readonly Gateway[] {
  const written = read.all(istioSources.Gateway).filter(({ namespace }) => read(isDiscoverable, namespace));
  return [...written, ...read(translatedGateways)];
}

const translatedGateways = query(
  'translatedGateways',
  (read: MeshRead) => translations(read).flatMap(({ gateways }) => read(gateways)),
  sameMembers,
);

const translatedGateway = query('translatedGateway', (read: MeshRead, key: string) =>
  read(translatedGateways).find(({ namespace, name }) => objectKey(namespace, name) === key),
);

/** A Gateway by its key. One that was written as such comes before one that was translated. */
export function gatewayConfig(read: MeshRead, key: string): Gateway | undefined {
  return seen(read, read.get(istioSources.Gateway, key)) ?? read(translatedGateway, key);
}

const translatedServices = query('translatedServices', (read: MeshRead): ReadonlyMap<string, VirtualService> => {
  const configs = translations(read).flatMap(({ virtualServices }) => read(virtualServices));
  return new Map(configs.map((config) => [objectKey(config.namespace, config.name), config]));
});

const translatedService = query('translatedService', (read: MeshRead, key: string) =>
  read(translatedServices).get(key),
);

/** A VirtualService by its key; see {@link gatewayConfig}. */
export function virtualServiceConfig(read: MeshRead, key: string): VirtualService | undefined {
  return seen(read, read.get(istioSources.VirtualService, key)) ?? read(translatedService, key);
}

/** The translated VirtualServices on a gateway (`namespace/name`). */
export const translatedServicesOn = query(
  'translatedServicesOn',
  (read: MeshRead, gateway: string): readonly VirtualService[] =>
    [...read(translatedServices).values()].filter(({ spec }) => spec.gateways.includes(gateway)),
  sameMembers,
);
