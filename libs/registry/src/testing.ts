import {
  applyChanges,
  type ConfigChange,
  environmentSource,
  featuresSource,
  meshConfigSource,
  meshNetworksSource,
  SINGLE,
} from '@kedge/config';
import { Memo, type MemoOptions, type Snapshot } from '@kedge/incremental';
import {
  type Config,
  defaultMeshConfig,
  type MeshConfig,
  parseConfigFile,
  parseFeatures,
  parseMeshNetworks,
  parseProxy,
  type Proxy,
} from '@kedge/model';
import { registriesSource } from './aggregate.ts';
import { standardRegistries } from './standard-registries.ts';

/* Small meshes for tests, written as manifests. */

export interface MeshOptions extends MemoOptions {
  readonly mesh?: Partial<MeshConfig>;
  /** YAML of MeshNetworks. */
  readonly networks?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** The objects of a text of manifests; throws where something is wrong with them. */
export function objectsOf(manifests: string): readonly Config[] {
  return parseConfigFile(manifests, 'test.yaml').map(({ config, diagnostics }) => {
    if (!config) throw new Error(JSON.stringify(diagnostics));
    return config;
  });
}

/** A memo over a mesh with the standard registries of a cluster called `Kubernetes`. */
export function meshOf(manifests: string, options: MeshOptions = {}): Memo<Proxy> {
  const { mesh, networks = '', environment } = options;
  const memo = new Memo<Proxy>(undefined, options);
  const edit = memo.snapshot.edit();
  edit.set(meshConfigSource, SINGLE, { ...defaultMeshConfig, ...mesh });
  edit.set(meshNetworksSource, SINGLE, parseMeshNetworks(networks).networks);
  edit.set(featuresSource, SINGLE, parseFeatures(environment).features);
  edit.set(environmentSource, SINGLE, { domainSuffix: 'cluster.local', systemNamespace: 'istio-system' });
  edit.set(registriesSource, SINGLE, standardRegistries('Kubernetes'));
  memo.advance(edit.commit());
  putObjects(memo, objectsOf(manifests));
  return memo;
}

/** Makes or replaces objects. */
export function putObjects(memo: Memo<Proxy>, objects: readonly Config[]): Snapshot {
  return change(memo, objects.map((object) => ({ key: object, new: object }))); // prettier-ignore
}

/** Applies changes and moves the memo on. */
export function change(memo: Memo<Proxy>, changes: readonly ConfigChange[]): Snapshot {
  memo.advance(applyChanges(memo.snapshot.edit(), changes).commit());
  return memo.snapshot;
}

/** A sidecar called `name` in namespace `shop`. */
export function sidecar(name: string, address: string, metadata: Readonly<Record<string, unknown>> = {}): Proxy {
  const parsed = parseProxy({
    id: `sidecar~${address}~${name}.shop~shop.svc.cluster.local`,
    metadata: { NAMESPACE: 'shop', CLUSTER_ID: 'Kubernetes', ...metadata },
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}
