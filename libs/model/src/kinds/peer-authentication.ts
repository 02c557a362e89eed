import { type Of, enumeration, map, message } from '../parse/message.ts';
import { WorkloadSelector } from './selector.ts';

export const MutualTLSMode = enumeration(['UNSET', 'DISABLE', 'PERMISSIVE', 'STRICT']);
export type MutualTLSMode = Of<typeof MutualTLSMode>;

export const MutualTLS = message({
  mode: MutualTLSMode,
});
export type MutualTLS = Of<typeof MutualTLS>;

/** Whether the selected workloads demand mutual TLS of their callers, also by port. */
export const PeerAuthentication = message({
  selector: WorkloadSelector,
  mtls: MutualTLS,
  portLevelMtls: map(MutualTLS, 1),
});
export type PeerAuthentication = Of<typeof PeerAuthentication>;
