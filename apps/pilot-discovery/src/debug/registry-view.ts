import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type Service, serviceKey } from '@kedge/model';
import type { PushContext } from '@kedge/pushcontext';
import { endpointShards, services } from '@kedge/registry';
import { meshObserver } from '../mesh-observer.ts';

const shardsByService = query('debugEndpointShards', (read: MeshRead) => {
  const entries = read(services).map((service): readonly [string, unknown] => {
    const shards = read(endpointShards, service.hostname, service.namespace);
    const named = shards.map(({ provider, cluster, endpoints }) => [`${provider}/${cluster}`, endpoints] as const);
    return [serviceKey(service), Object.fromEntries(named)];
  });
  return Object.fromEntries(entries);
});

export function servicesView(push: PushContext): readonly Service[] {
  return push.evaluate(meshObserver, services);
}

export function endpointShardsView(push: PushContext): Readonly<Record<string, unknown>> {
  return push.evaluate(meshObserver, shardsByService);
}
