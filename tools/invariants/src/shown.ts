import { isDeepStrictEqual } from 'node:util';
import { defaultMeshConfig, parseFeatures, type Proxy } from '@kedge/model';
import type { Settings } from './settings.ts';

/* Examples as they are shown in the report of a failure: what is as ever is left out. */

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

function difference(value: object, base: object): object {
  const usual = new Map<string, unknown>(Object.entries(base));
  return Object.fromEntries(Object.entries(value).filter(([key, field]) => !isDeepStrictEqual(field, usual.get(key))));
}

function shownSettings({
  mesh,
  networks,
  features,
  environment,
  secretAccess,
  reviews,
  findings,
  registries,
}: Partial<Settings>) {
  return {
    mesh: mesh && difference(mesh, defaultMeshConfig),
    networks: networks?.networks,
    features: features && difference(features, parseFeatures().features),
    environment,
    secretAccess,
    reviews,
    findings,
    registries: registries?.map(({ provider, cluster }) => `${provider}/${cluster}`),
  };
}

function shownProxy({ nodeId, metadata, locality, extensions, identity }: Proxy) {
  return { nodeId, metadata: metadata.raw, locality, extensions: extensions.size, identity };
}

function shownValue(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  if ('nodeId' in value) return shownProxy(value as unknown as Proxy);
  if ('mesh' in value && 'networks' in value && 'registries' in value) return shownSettings(value as Partial<Settings>);
  return Object.fromEntries(Object.entries(value).filter(([key, field]) => !isEmpty(field) && key !== 'group'));
}

/** An example as JSON text. */
export const shown = (example: unknown): string => JSON.stringify(example, shownValue);
