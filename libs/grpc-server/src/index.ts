export { GrpcServer } from './server.ts';
export type { ServerLimits, ServerOptions } from './options.ts';
export type { EndedCall, ServerObserver } from './observer.ts';
export type { ListenAddress, Listener } from './listener.ts';
export type { TlsCredentials, TlsOptions } from './tls.ts';
export type { KeepaliveOptions } from './keepalive.ts';
export type { Peer } from './peer.ts';
export type {
  BidiMethod,
  CallContext,
  Method,
  ServerStream,
  ServerStreamMethod,
  ServiceMethods,
  UnaryMethod,
} from './service.ts';
export { binaryValues, type Metadata } from './metadata.ts';
export { GrpcError, Status, statusName } from './status.ts';
export type { CallStatus, OutgoingMetadata, StatusCode, StatusName } from './status.ts';
export { Health, healthServiceName } from './health.ts';
export { reflectionMethods, reflectionServiceNames, type Descriptors } from './reflection.ts';
