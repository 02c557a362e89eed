import { type Of, deprecated, list, map, message, required } from '../parse/message.ts';
import { string, uint32 } from '../parse/scalars.ts';
import { ServerTLSSettings } from './server-tls.ts';

export const GatewayPort = message({
  number: required(uint32, 0),
  protocol: required(string, ''),
  name: required(string, ''),
  targetPort: deprecated(uint32),
});
export type GatewayPort = Of<typeof GatewayPort>;

export const GatewayServer = message({
  port: required(GatewayPort),
  bind: string,
  hosts: required(list(string)),
  tls: ServerTLSSettings,
  defaultEndpoint: string,
  name: string,
});
export type GatewayServer = Of<typeof GatewayServer>;

/** Ports that a load balancer at the edge of the mesh listens on, and the hosts it serves there. */
export const Gateway = message({
  servers: list(GatewayServer),
  selector: map(string),
});
export type Gateway = Of<typeof Gateway>;
