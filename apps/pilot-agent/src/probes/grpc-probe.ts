import { connect as connectHttp2, constants } from 'node:http2';
import { connect } from 'node:net';
import { decode, encode } from '@kedge/envoy-api';
import { Status, statusName } from '@kedge/grpc-server';

export interface GrpcProbe {
  readonly host: string;
  readonly port: number;
  /** The service that is asked about; empty for the server as a whole. */
  readonly service: string;
  readonly userAgent?: string;
  /** The address to call from; absent: any. */
  readonly from?: string;
  readonly timeoutMs: number;
}

/** Far more than a state of health needs. */
const maxAnswerBytes = 64 * 1024;
/** Compression flag and length before each message. */
const prefixBytes = 5;

/**
 * Calls `grpc.health.v1.Health/Check`. It speaks HTTP/2 itself, for a gRPC client can't choose the address that it calls from.
 * @throws Error where the answer is anything but SERVING, or doesn't come in time.
 */
export async function probeGrpc({ host, port, service, userAgent, from, timeoutMs }: GrpcProbe): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const session = connectHttp2(`http://${host.includes(':') ? `[${host}]` : host}:${port}`, {
    createConnection: () => connect({ host, port, ...(from !== undefined && { localAddress: from }) }),
  });
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  session.on('error', reject);
  const call = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: '/grpc.health.v1.Health/Check',
    [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
    [constants.HTTP2_HEADER_TE]: 'trailers',
    ...(userAgent && { [constants.HTTP2_HEADER_USER_AGENT]: userAgent }),
  });
  const chunks: Buffer[] = [];
  let status: unknown;
  // An error without a message comes with the headers, any other status behind the message.
  for (const event of ['response', 'trailers'] as const) {
    call.on(event, (headers) => (status = headers['grpc-status'] ?? status));
  }
  let size = 0;
  call.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxAnswerBytes) reject(new Error('the answer is too long'));
    else chunks.push(chunk);
  });
  call.on('error', reject);
  call.on('end', () => {
    if (status === '0') resolve(Buffer.concat(chunks));
    else reject(new Error(status === undefined ? 'it is no gRPC server' : `the status is ${nameOf(Number(status))}`));
  });
  const message = encode('grpc.health.v1.HealthCheckRequest', { service });
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(message.length, 1);
  call.end(Buffer.concat([prefix, message]));
  try {
    const answer = decode('grpc.health.v1.HealthCheckResponse', (await promise).subarray(prefixBytes));
    if (answer.status !== 'SERVING') throw new Error(`it is ${answer.status ?? 'UNKNOWN'}`);
  } finally {
    clearTimeout(timer);
    session.destroy();
  }
}

function nameOf(code: number): string {
  const known = Object.values(Status).find((value) => value === code);
  return known === undefined ? `${code}` : statusName(known);
}
