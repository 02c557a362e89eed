import { type Config, parseConfig, validateConfig } from '@kedge/model';
import { checkEnvoyMessage } from '@kedge/networking';
import fc from 'fast-check';
import { istioObjects } from './istio.ts';
import { kubernetesObjects } from './kubernetes.ts';
import { policies } from './policies.ts';
import type { Manifest } from './manifest.ts';

/** Manifests of every kind that random meshes are made of. Nearly all are valid. */
export const manifestsOf: Readonly<Record<string, fc.Arbitrary<Manifest>>> = {
  ...kubernetesObjects,
  ...istioObjects,
  ...policies,
};

export const objectKinds = Object.keys(manifestsOf);

/** What a manifest says, if nothing is wrong with it. */
export function admit(manifest: unknown): Config | undefined {
  const { config } = parseConfig(manifest);
  return config && isValid(config) ? config : undefined;
}

export const isValid = (config: Config): boolean =>
  validateConfig(config, { checkEnvoyMessage }).every(({ severity }) => severity !== 'error');

/** Valid objects of a kind. */
export function objectsOfKind(kind: string): fc.Arbitrary<Config> {
  const manifests = manifestsOf[kind];
  if (!manifests) throw new Error(`no objects of kind ${kind} are made`);
  return manifests.map(admit).filter((object) => object !== undefined);
}

/** What others refer to is made more often. */
const weights: Readonly<Record<string, number>> = { Pod: 3, Node: 2, ServiceEntry: 3, VirtualService: 4, DestinationRule: 3, Gateway: 3, Ingress: 2 }; // prettier-ignore

export const anyObject: fc.Arbitrary<Config> = fc.oneof(
  ...objectKinds.map((kind) => ({ weight: weights[kind] ?? 1, arbitrary: objectsOfKind(kind) })),
);

/** What nearly everything else is about. */
export const basicObject: fc.Arbitrary<Config> = fc.oneof(...['Service', 'EndpointSlice', 'Pod'].map(objectsOfKind));
