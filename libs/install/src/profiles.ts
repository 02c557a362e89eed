import type { Json, JsonObject } from '@kedge/model';
import { InstallError } from './install-error.ts';
import { overlay } from './tree.ts';

const ingress = (enabled: boolean): Json => [{ name: 'istio-ingressgateway', enabled }];
const egress = (enabled: boolean): Json => [{ name: 'istio-egressgateway', enabled }];

/** Specs of the built-in profiles. Every one is laid over `default`. */
const PROFILES = {
  default: {
    hub: 'registry.istio.io/testing',
    tag: 'latest',
    components: {
      base: { enabled: true },
      pilot: { enabled: true },
      ingressGateways: ingress(true),
      egressGateways: egress(false),
    },
    values: {
      defaultRevision: '',
      global: { istioNamespace: 'istio-system', configValidation: true },
      gateways: { 'istio-ingressgateway': {}, 'istio-egressgateway': {} },
      ztunnel: { resourceName: 'ztunnel' },
    },
  },
  ambient: {
    components: { cni: { enabled: true }, ztunnel: { enabled: true }, ingressGateways: ingress(false) },
    values: { profile: 'ambient' },
  },
  demo: { components: { egressGateways: egress(true) }, values: { profile: 'demo' } },
  empty: { components: { base: { enabled: false }, pilot: { enabled: false }, ingressGateways: ingress(false) } },
  minimal: { components: { ingressGateways: ingress(false) } },
  openshift: {
    components: { cni: { enabled: true, namespace: 'kube-system' } },
    values: { global: { platform: 'openshift' } },
  },
  'openshift-ambient': {
    components: {
      cni: { enabled: true, namespace: 'kube-system' },
      ztunnel: { enabled: true, namespace: 'kube-system' },
      ingressGateways: ingress(false),
    },
    values: { profile: 'ambient', global: { platform: 'openshift' } },
  },
  preview: { values: { profile: 'preview' } },
  remote: {
    components: { base: { enabled: true }, pilot: { enabled: true }, ingressGateways: ingress(false) },
    values: { profile: 'remote' },
  },
  stable: { values: { profile: 'stable' } },
} as const satisfies Readonly<Record<string, JsonObject>>;

/** The spec of a profile by its name, not yet laid over `default`; undefined where there is no such profile. */
export type ProfileSource = (name: string) => JsonObject | undefined;

const builtinProfiles: Readonly<Record<string, JsonObject>> = PROFILES;

export const builtinProfile: ProfileSource = (name) =>
  Object.hasOwn(builtinProfiles, name) ? builtinProfiles[name] : undefined;

export const profileNames: readonly string[] = Object.keys(PROFILES).sort();

/** The spec that a profile stands for. Throws an InstallError where there is none of that name. */
export function profileSpec(name: string, source: ProfileSource = builtinProfile): JsonObject {
  const base = specOf('default', source);
  return name === 'default' || name === '' ? base : overlay(base, specOf(name, source));
}

function specOf(name: string, source: ProfileSource): JsonObject {
  const spec = source(name);
  if (spec === undefined) throw new InstallError(`profile "${name}" not found; there are ${profileNames.join(', ')}`);
  return spec;
}
