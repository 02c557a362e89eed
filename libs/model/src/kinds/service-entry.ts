import { type Of, enumeration, list, message, required } from '../parse/message.ts';
import { string, uint32 } from '../parse/scalars.ts';
import { WorkloadLabelSelector } from './selector.ts';
import { WorkloadEntry } from './workload-entry.ts';

export const ServiceEntryPort = message({
  number: required(uint32, 0),
  protocol: string,
  name: required(string, ''),
  targetPort: uint32,
});
export type ServiceEntryPort = Of<typeof ServiceEntryPort>;

export const ServiceEntryLocation = enumeration(['MESH_EXTERNAL', 'MESH_INTERNAL']);
export type ServiceEntryLocation = Of<typeof ServiceEntryLocation>;

export const ServiceEntryResolution = enumeration(['NONE', 'STATIC', 'DNS', 'DNS_ROUND_ROBIN', 'DYNAMIC_DNS']);
export type ServiceEntryResolution = Of<typeof ServiceEntryResolution>;

/** A service that the platform's registry does not have: hosts, ports, and where its endpoints come from. */
export const ServiceEntry = message({
  hosts: required(list(string)),
  addresses: list(string),
  ports: list(ServiceEntryPort),
  location: ServiceEntryLocation,
  resolution: ServiceEntryResolution,
  endpoints: list(WorkloadEntry),
  workloadSelector: WorkloadLabelSelector,
  exportTo: list(string),
  subjectAltNames: list(string),
});
export type ServiceEntry = Of<typeof ServiceEntry>;
