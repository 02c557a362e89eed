export * from './aggregate.ts';
export * from './order.ts';
export type { MeshQuery, NetworkGateway, ProxyWorkload, ServiceRegistry, ServiceTarget } from './service-registry.ts';
