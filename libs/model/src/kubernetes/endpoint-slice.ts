import { type Of, list, map, message, required } from '../parse/message.ts';
import { bool, string, uint32 } from '../parse/scalars.ts';

export const EndpointConditions = message({ ready: bool, serving: bool, terminating: bool });
export type EndpointConditions = Of<typeof EndpointConditions>;

export const SliceEndpoint = message({
  addresses: list(string),
  conditions: EndpointConditions,
  hostname: string,
  nodeName: string,
  zone: string,
  targetRef: message({ kind: string, name: string, namespace: string }),
  deprecatedTopology: map(string),
});
export type SliceEndpoint = Of<typeof SliceEndpoint>;

export const SlicePort = message({ name: required(string, ''), port: uint32, protocol: string, appProtocol: string });
export type SlicePort = Of<typeof SlicePort>;

export const EndpointSlice = message({
  addressType: required(string, ''),
  endpoints: list(SliceEndpoint),
  ports: list(SlicePort),
});
export type EndpointSlice = Of<typeof EndpointSlice>;

/** Label that names the service a slice belongs to. */
export const SLICE_SERVICE_LABEL = 'kubernetes.io/service-name';
