import { type Of, deprecated, enumeration, list, message, required } from '../parse/message.ts';
import { string, uint32 } from '../parse/scalars.ts';
import { ConnectionPoolSettings } from './connection-pool.ts';
import { Destination } from './destination.ts';
import { WorkloadLabelSelector } from './selector.ts';
import { ServerTLSSettings } from './server-tls.ts';

export const SidecarPort = message({
  number: uint32,
  protocol: string,
  name: string,
  targetPort: deprecated(uint32),
});
export type SidecarPort = Of<typeof SidecarPort>;

export const CaptureMode = enumeration(['DEFAULT', 'IPTABLES', 'NONE']);
export type CaptureMode = Of<typeof CaptureMode>;

export const IstioIngressListener = message({
  port: required(SidecarPort),
  bind: string,
  captureMode: CaptureMode,
  defaultEndpoint: string,
  tls: ServerTLSSettings,
  connectionPool: ConnectionPoolSettings,
});
export type IstioIngressListener = Of<typeof IstioIngressListener>;

export const IstioEgressListener = message({
  port: SidecarPort,
  bind: string,
  captureMode: CaptureMode,
  hosts: required(list(string)),
});
export type IstioEgressListener = Of<typeof IstioEgressListener>;

export const SidecarOutboundMode = enumeration(['REGISTRY_ONLY', 'ALLOW_ANY']);
export type SidecarOutboundMode = Of<typeof SidecarOutboundMode>;

export const SidecarOutboundTrafficPolicy = message({
  mode: SidecarOutboundMode,
  egressProxy: Destination,
});
export type SidecarOutboundTrafficPolicy = Of<typeof SidecarOutboundTrafficPolicy>;

/** What the sidecars of the selected workloads see of the mesh, and the listeners they open. */
export const Sidecar = message({
  workloadSelector: WorkloadLabelSelector,
  ingress: list(IstioIngressListener),
  egress: list(IstioEgressListener),
  inboundConnectionPool: ConnectionPoolSettings,
  outboundTrafficPolicy: SidecarOutboundTrafficPolicy,
});
export type Sidecar = Of<typeof Sidecar>;
