import { WorkloadSelector } from './selector.ts';
import { type Of, enumeration, map, message } from '../parse/message.ts';

export const MutualTLSMode = enumeration(['UNSET', 'DISABLE', 'PERMISSIVE', 'STRICT']);
export type MutualTLSMode = Of<typeof MutualTLSMode>;

export const MutualTLS = message({
  mode: MutualTLSMode,
});
export type MutualTLS = Of<typeof MutualTLS>;

export const PeerAuthentication = message({
  selector: WorkloadSelector,
  mtls: MutualTLS,
  portLevelMtls: map(MutualTLS),
});
export type PeerAuthentication = Of<typeof PeerAuthentication>;
