import { type Of, list, map, message, required } from '../parse/message.ts';
import { bool, string, uint32 } from '../parse/scalars.ts';
import { intOrString } from './int-or-string.ts';

export const KubernetesServicePort = message({
  name: required(string, ''),
  port: required(uint32, 0),
  protocol: string,
  appProtocol: string,
  targetPort: intOrString,
  nodePort: uint32,
});
export type KubernetesServicePort = Of<typeof KubernetesServicePort>;

export const ServiceSpec = message({
  type: string,
  clusterIP: string,
  clusterIPs: list(string),
  externalIPs: list(string),
  externalName: string,
  ports: list(KubernetesServicePort),
  selector: map(string),
  publishNotReadyAddresses: bool,
  internalTrafficPolicy: string,
  externalTrafficPolicy: string,
  trafficDistribution: string,
  ipFamilies: list(string),
  ipFamilyPolicy: string,
});
export type ServiceSpec = Of<typeof ServiceSpec>;

const LoadBalancerIngress = message({ ip: string, hostname: string });

export const ServiceStatus = message({
  loadBalancer: required(message({ ingress: list(LoadBalancerIngress) }), { ingress: [] }),
});
export type ServiceStatus = Of<typeof ServiceStatus>;
