export { addDiscoveryCommand } from './commands/discovery.ts';
export { ControlPlane, type ControlPlaneOptions } from './control-plane.ts';
export { type DiscoveryFlags, type DiscoveryOptions, runDiscovery } from './discovery.ts';
export { MeshClient } from './xds/mesh-client.ts';
export { type MeshGenerator, type MeshGenerators, meshGenerators } from './xds/mesh-generators.ts';
