import type { IncomingHttpHeaders } from 'node:http2';
import type { Method } from './service.ts';
import { Status, type CallStatus } from './status.ts';
import { parseTimeout } from './timeout.ts';

/** What becomes of a request: a call, a gRPC status, or, where the client speaks no gRPC, an HTTP status. */
export type Admission =
  | { readonly kind: 'call'; readonly path: string; readonly method: Method; readonly timeoutMs: number | undefined }
  | { readonly kind: 'refused'; readonly status: CallStatus }
  | { readonly kind: 'notGrpc'; readonly httpStatus: number };

export function admit(headers: IncomingHttpHeaders, methods: ReadonlyMap<string, Method>): Admission {
  if (headers[':method'] !== 'POST') return { kind: 'notGrpc', httpStatus: 405 };
  if (!/^application\/grpc(?:[+;]|$)/.test(headers['content-type'] ?? '')) return { kind: 'notGrpc', httpStatus: 415 };

  const path = headers[':path'] ?? '';
  const method = methods.get(path);
  if (method === undefined) return refused(Status.UNIMPLEMENTED, `there is no method ${path}`);

  const timeout = headers['grpc-timeout']?.toString();
  if (timeout === undefined) return { kind: 'call', path, method, timeoutMs: undefined };
  const timeoutMs = parseTimeout(timeout);
  if (timeoutMs === undefined) return refused(Status.INTERNAL, 'grpc-timeout is malformed');
  return { kind: 'call', path, method, timeoutMs };
}

function refused(code: CallStatus['code'], message: string): Admission {
  return { kind: 'refused', status: { code, message } };
}
