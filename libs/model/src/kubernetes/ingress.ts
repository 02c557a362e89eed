import { type Of, list, message, required } from '../parse/message.ts';
import { int32, string } from '../parse/scalars.ts';

const ServiceBackendPort = message({ name: string, number: int32 });

export const IngressBackend = message({
  service: message({ name: required(string, ''), port: ServiceBackendPort }),
});
export type IngressBackend = Of<typeof IngressBackend>;

export const IngressPath = message({ path: string, pathType: string, backend: IngressBackend });
export type IngressPath = Of<typeof IngressPath>;

export const IngressRule = message({ host: string, http: message({ paths: list(IngressPath) }) });
export type IngressRule = Of<typeof IngressRule>;

export const IngressTls = message({ hosts: list(string), secretName: string });
export type IngressTls = Of<typeof IngressTls>;

export const IngressSpec = message({
  ingressClassName: string,
  defaultBackend: IngressBackend,
  tls: list(IngressTls),
  rules: list(IngressRule),
});
export type IngressSpec = Of<typeof IngressSpec>;
