import { kubernetesRegistry } from './kubernetes/registry.ts';
import { serviceEntryRegistry } from './service-entry/registry.ts';
import type { ServiceRegistry } from './service-registry.ts';

/** The registries of a control plane that watches one cluster (or a folder in its place): Kubernetes and ServiceEntries. */
export function standardRegistries(cluster: string): readonly ServiceRegistry[] {
  const kubernetes = kubernetesRegistry(cluster);
  return [kubernetes, serviceEntryRegistry(cluster, kubernetes)];
}
