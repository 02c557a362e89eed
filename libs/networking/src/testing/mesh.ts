import { setObject } from '@kedge/config';
import { type Any, decodeAny } from '@kedge/envoy-api';
import {
  type Config,
  defaultMeshConfig,
  parseConfigFile,
  parseFeatures,
  parseMeshConfig,
  parseMeshNetworks,
  parseProxy,
  type Proxy,
} from '@kedge/model';
import { PushContext, setMeshSettings } from '@kedge/pushcontext';
import { standardRegistries } from '@kedge/registry';
import type { EncodedResource } from '../resource.ts';

/* Small meshes for tests, written as manifests. */

export interface MeshOptions {
  /** YAML of MeshConfig, laid over the defaults. */
  readonly mesh?: string;
  /** YAML of MeshNetworks. */
  readonly networks?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The objects of a text of manifests; throws where something is wrong with them. */
function objectsOf(manifests: string): readonly Config[] {
  return parseConfigFile(manifests, 'test.yaml').map(({ config, diagnostics }) => {
    if (!config) throw new Error(JSON.stringify(diagnostics));
    return config;
  });
}

/** A snapshot of a mesh with the registries of a cluster called `Kubernetes`. */
export function meshOf(manifests: string, { mesh, networks = '', environment }: MeshOptions = {}): PushContext {
  const { features, problems } = parseFeatures(environment);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const push = PushContext.empty().next((edit) => {
    setMeshSettings(edit, {
      mesh: mesh === undefined ? defaultMeshConfig : (parseMeshConfig(mesh).mesh ?? defaultMeshConfig),
      networks: parseMeshNetworks(networks).networks,
      features,
      environment: { domainSuffix: 'cluster.local', systemNamespace: 'istio-system' },
      registries: standardRegistries('Kubernetes'),
    });
  });
  return withObjects(push, manifests);
}

/** The next snapshot, with these objects added or in place of those of the same name. */
export function withObjects(push: PushContext, manifests: string): PushContext {
  const objects = objectsOf(manifests);
  return push.next((edit) => {
    for (const object of objects) setObject(edit, object, object);
  });
}

export function withoutObject(push: PushContext, key: Pick<Config, 'kind' | 'namespace' | 'name'>): PushContext {
  return push.next((edit) => setObject(edit, key, undefined));
}

export interface ProxyOptions {
  readonly type?: 'sidecar' | 'router' | 'waypoint';
  readonly namespace?: string;
  readonly address?: string;
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string };
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly extensions?: readonly string[];
  /** The messages by which its extensions are configured. */
  readonly extensionTypes?: readonly string[];
}

/** A proxy called `name`; a sidecar in namespace `shop` where nothing else is said. */
export function proxyOf(name: string, options: ProxyOptions = {}): Proxy {
  const { type = 'sidecar', namespace = 'shop', address = '10.0.0.1', locality, metadata } = options;
  const { extensions = [], extensionTypes = [] } = options;
  const parsed = parseProxy({
    id: `${type}~${address}~${name}.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { NAMESPACE: namespace, CLUSTER_ID: 'Kubernetes', ...metadata },
    ...(locality ? { locality } : {}),
    extensions: [...extensions.map((extension) => ({ name: extension })), { typeUrls: extensionTypes }],
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}

/** The messages of resources by name, as a config dump shows them. */
export function messagesOf(resources: readonly EncodedResource[]): Readonly<Record<string, Any>> {
  return Object.fromEntries(resources.map(({ name, any }) => [name, decodeAny(any)]));
}

/** Manifest of a service of Kubernetes with one port, http on 80 unless said otherwise, and one ready endpoint. */
export function serviceManifest(
  name: string,
  { namespace = 'shop', port = 80, portName = 'http', address = '10.0.1.1' } = {},
): string {
  return `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  clusterIP: 10.96.0.1
  selector: {app: ${name}}
  ports: [{name: ${portName}, port: ${port}, targetPort: 8080, protocol: TCP}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}-1, namespace: ${namespace}, labels: {kubernetes.io/service-name: ${name}}}
addressType: IPv4
ports: [{name: ${portName}, port: 8080, protocol: TCP}]
endpoints: [{addresses: [${address}], conditions: {ready: true}}]
---`;
}
