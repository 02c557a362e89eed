export * from './aggregate.ts';
export { kubernetesRegistry } from './kubernetes/registry.ts';
export { memoryRegistry, type MemoryRegistry, type ServiceInstances } from './memory.ts';
export { isDiscoverable } from './namespace-scope.ts';
export * from './order.ts';
export {
  AddressAllocator,
  type AddressRanges,
  type Allocations,
  allocationsSource,
} from './service-entry/allocation.ts';
export { serviceEntryRegistry } from './service-entry/registry.ts';
export type { MeshQuery, NetworkGateway, ProxyWorkload, ServiceRegistry, ServiceTarget } from './service-registry.ts';
export { standardRegistries } from './standard-registries.ts';
