/* The control plane in process, for tools. */
export { ControlPlane, type ControlPlaneOptions } from './control-plane.ts';
export type { MeshClient } from './xds/mesh-client.ts';
export { meshGenerators } from './xds/mesh-generators.ts';
