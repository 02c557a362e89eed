import { type Of, list, message, required } from '../parse/message.ts';
import { int32, string, uint32 } from '../parse/scalars.ts';

export const ProbeHeader = message({
  name: string,
  value: string,
});
export type ProbeHeader = Of<typeof ProbeHeader>;

export const HTTPHealthCheckConfig = message({
  path: string,
  port: required(uint32, 0),
  host: string,
  scheme: string,
  httpHeaders: list(ProbeHeader),
});
export type HTTPHealthCheckConfig = Of<typeof HTTPHealthCheckConfig>;

export const TCPHealthCheckConfig = message({
  host: string,
  port: required(uint32, 0),
});
export type TCPHealthCheckConfig = Of<typeof TCPHealthCheckConfig>;

export const ExecHealthCheckConfig = message({
  command: required(list(string)),
});
export type ExecHealthCheckConfig = Of<typeof ExecHealthCheckConfig>;

export const GrpcHealthCheckConfig = message({
  port: uint32,
  service: string,
});
export type GrpcHealthCheckConfig = Of<typeof GrpcHealthCheckConfig>;

export const ReadinessProbe = message(
  {
    initialDelaySeconds: int32,
    timeoutSeconds: int32,
    periodSeconds: int32,
    successThreshold: int32,
    failureThreshold: int32,
    httpGet: HTTPHealthCheckConfig,
    tcpSocket: TCPHealthCheckConfig,
    exec: ExecHealthCheckConfig,
    grpc: GrpcHealthCheckConfig,
  },
  ['httpGet', 'tcpSocket', 'exec', 'grpc'],
);
export type ReadinessProbe = Of<typeof ReadinessProbe>;
