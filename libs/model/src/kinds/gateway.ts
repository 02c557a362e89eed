import { ServerTLSSettings } from './server-tls.ts';
import { type Of, deprecated, list, map, message, required } from '../parse/message.ts';
import { string, uint32 } from '../parse/scalars.ts';

export const GatewayPort = message({
  number: required(uint32, 0),
  protocol: required(string, ''),
  name: required(string, ''),
  targetPort: deprecated(uint32),
});
export type GatewayPort = Of<typeof GatewayPort>;

export const GatewayServer = message({
  port: GatewayPort,
  bind: string,
  hosts: list(string),
  tls: ServerTLSSettings,
  defaultEndpoint: string,
  name: string,
});
export type GatewayServer = Of<typeof GatewayServer>;

export const Gateway = message({
  servers: list(GatewayServer),
  selector: map(string),
});
export type Gateway = Of<typeof Gateway>;
