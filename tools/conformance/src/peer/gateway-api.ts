import {
  type GatewayRequest,
  gatewayClasses,
  type InjectionMesh,
  type InjectionValues,
  type ManagedGateway,
  type ProxyConfig,
  renderGateway,
} from '@kedge/inject';
import { defaultMeshConfig, defaultProxyConfig } from '@kedge/model';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { PeerResult } from '../peer.ts';
import { injectionTemplates } from './inject.ts';
import { differences, documentsOf, tidy } from './inject-compare.ts';

interface GatewayCase {
  readonly id: string;
  readonly group: string;
  readonly input: string;
  readonly expected: string;
  readonly options: {
    readonly values?: string;
    readonly watchedNamespace?: string;
    readonly proxyConfigs?: string;
    readonly PILOT_ENABLE_QUIC_LISTENERS?: boolean;
    readonly PILOT_ENABLE_GATEWAY_API_COPY_LABELS_ANNOTATIONS?: boolean;
  };
}

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

/** Runs the deployments of the category `gateway-api`: what is made for a Gateway. */
export async function runGatewayApi(folder: string): Promise<PeerResult> {
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  const { cases } = parse(read('cases.yaml')) as { readonly cases: readonly GatewayCase[] };
  const chosen = cases.filter(({ group }) => group === 'deployment');
  const results = chosen.map((item) => runCase(item, read));
  return {
    cases: chosen.length,
    equal: results.filter((found) => found.length === 0).length,
    failures: results.flat(),
    leftOut: [`convert: ${cases.length - chosen.length} cases`, 'deployment: the requests for the Gateway itself'],
  };
}

const CONTROLLERS: Readonly<Record<string, string>> = {
  istio: 'gateway-controller',
  custom: 'gateway-controller',
  'istio-waypoint': 'mesh-controller',
  'istio-east-west': 'eastwest-controller',
  'istio-agentgateway': 'agentgateway-controller',
  'istio-agentgateway-waypoint': 'agentgateway-waypoint-controller',
};

function runCase(item: GatewayCase, read: (path: string) => string): readonly string[] {
  const { options } = item;
  const inputs = documentsOf(read(item.input)) as readonly KubernetesObject[];
  const gateway = inputs.find(({ kind }) => kind === 'Gateway') as unknown as ManagedGateway;
  const isWatched = [undefined, gateway.metadata.namespace].includes(options.watchedNamespace);
  const actual = isWatched ? renderGateway(requestOf(item, gateway, inputs, read)) : [];
  if (item.expected === 'nothing is applied') return actual.length === 0 ? [] : [`${item.id}: something is applied`];
  const existing = parse(read('deployment/existing-deployment.yaml')) as KubernetesObject;
  const expected = documentsOf(read(item.expected)).filter((object) => (object as KubernetesObject).kind !== 'Gateway');
  const kept = actual.map((object) => keepSelector(object as unknown as KubernetesObject, existing));
  const found = differences(kept.map(comparable), expected.map(comparable), item.id);
  // What templates print for a value that is missing is not compared.
  return found.filter((text) => !/, not .*<(?:no value|nil)>/.test(text));
}

function requestOf(
  { options }: GatewayCase,
  gateway: ManagedGateway,
  inputs: readonly KubernetesObject[],
  read: (path: string) => string,
): GatewayRequest {
  const controller = `istio.io/${CONTROLLERS[gateway.spec.gatewayClassName]}`;
  const values = parse(options.values ?? 'global: {hub: test, tag: test}') as { readonly global: object };
  const maps = inputs
    .filter(({ kind }) => kind === 'ConfigMap')
    .map(({ data }) => data as Readonly<Record<string, string>>);
  const resource =
    options.proxyConfigs === undefined ? {} : (parse(read(options.proxyConfigs)) as { spec: object }).spec;
  const proxyConfig = { ...defaultProxyConfig, ...resource, selector: undefined };
  return {
    gateway,
    gatewayClass: gatewayClasses.find((candidate) => candidate.controller === controller)!,
    templates: injectionTemplates(),
    values: { ...values, global: { hub: '', tag: '', proxy: {}, ...values.global } } as InjectionValues,
    mesh: { ...defaultMeshConfig } as unknown as InjectionMesh,
    proxyConfig: JSON.parse(JSON.stringify(proxyConfig)) as ProxyConfig,
    proxyDefaults: { ...defaultProxyConfig } as ProxyConfig,
    clusterId: 'Kubernetes',
    revision: '',
    customizations: maps,
    kubernetesVersion: 128,
    copiesMetadata: options.PILOT_ENABLE_GATEWAY_API_COPY_LABELS_ANNOTATIONS ?? true,
    hasQuic: options.PILOT_ENABLE_QUIC_LISTENERS ?? false,
  };
}

/** An older deployment keeps the selector that it has, which nobody can change. */
function keepSelector(object: KubernetesObject, existing: KubernetesObject): KubernetesObject {
  if (object.kind !== 'Deployment' || object.metadata.name !== existing.metadata.name) return object;
  const [own, old] = [object, existing].map(({ spec }) => spec as DeploymentSpec);
  const labels = {
    ...own!.template.metadata.labels,
    'istio.io/gateway-name': old!.template.metadata.labels['istio.io/gateway-name'],
  };
  const template = { ...own!.template, metadata: { ...own!.template.metadata, labels } };
  return { ...object, spec: { ...own, selector: old!.selector, template } };
}

interface DeploymentSpec {
  readonly selector: unknown;
  readonly template: { readonly metadata: { readonly labels: Readonly<Record<string, string | undefined>> } };
}

/** Nothing is the same as an empty text and an empty object. */
function comparable(object: unknown): unknown {
  const text = JSON.stringify(tidy(object), (key, value: unknown) =>
    (key === 'uid' && value === '') || (key === 'annotations' && Object.keys(value as object).length === 0)
      ? undefined
      : value,
  );
  return JSON.parse(text) as unknown;
}
