import { type Of, list, map, message } from '../parse/message.ts';
import { string, uint32 } from '../parse/scalars.ts';

export const NetworkEndpoints = message(
  {
    fromCidr: string,
    fromRegistry: string,
  },
  ['fromCidr', 'fromRegistry'],
);
export type NetworkEndpoints = Of<typeof NetworkEndpoints>;

export const NetworkGateway = message(
  {
    registryServiceName: string,
    address: string,
    port: uint32,
    locality: string,
  },
  ['registryServiceName', 'address'],
);
export type NetworkGateway = Of<typeof NetworkGateway>;

export const MeshNetwork = message({
  endpoints: list(NetworkEndpoints),
  gateways: list(NetworkGateway),
});
export type MeshNetwork = Of<typeof MeshNetwork>;

/** Networks of the mesh by name. Endpoints of different networks reach each other through gateways only. */
export const MeshNetworks = message({
  networks: map(MeshNetwork),
});
export type MeshNetworks = Of<typeof MeshNetworks>;
