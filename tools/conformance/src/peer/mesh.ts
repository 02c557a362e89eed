import { type MeshRead, setObject } from '@kedge/config';
import { type Config, defaultMeshConfig, type EffectiveMeshConfig, parseFeatures, parseMeshConfig } from '@kedge/model';
import { PushContext, setMeshSettings } from '@kedge/pushcontext';
import { standardRegistries } from '@kedge/registry';
import { query } from '@kedge/incremental';
import { parseProxy, type Proxy } from '@kedge/model';

/** A mesh with these objects, and MeshConfig laid over the defaults. */
export function meshOf(objects: readonly Config[], mesh: Readonly<Record<string, unknown>>): PushContext {
  return PushContext.empty().next((edit) => {
    setMeshSettings(edit, {
      mesh: meshConfigOf(mesh),
      networks: { networks: {} },
      features: parseFeatures().features,
      environment: { domainSuffix: 'cluster.local', systemNamespace: 'istio-system' },
      registries: standardRegistries('Kubernetes'),
    });
    for (const object of objects) setObject(edit, object, object);
  });
}

function meshConfigOf(mesh: Readonly<Record<string, unknown>>): EffectiveMeshConfig {
  return { ...(parseMeshConfig(JSON.stringify(mesh)).mesh ?? defaultMeshConfig) };
}

export function sidecarOf(name: string, namespace: string, labels: Readonly<Record<string, string>>): Proxy {
  const parsed = parseProxy({
    id: `sidecar~10.0.0.1~${name}.${namespace}~${namespace}.svc.cluster.local`,
    metadata: { NAMESPACE: namespace, CLUSTER_ID: 'Kubernetes', LABELS: labels },
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}

/** What a function of the mesh comes to for a proxy. */
export function ask<V>(push: PushContext, proxy: Proxy, of: (read: MeshRead) => V): V {
  return push.evaluate(proxy, query('peer', of));
}
