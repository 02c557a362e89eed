import { Client, credentials, type ServiceError } from '@grpc/grpc-js';

export type GrpcFailure = ServiceError;

interface ClientIdentity {
  readonly roots: string;
  readonly key?: string;
  readonly chain?: string;
}

/** Calls a unary method on loopback with encoded messages. */
export async function unaryCall(
  port: number,
  method: string,
  request: Uint8Array,
  tls?: ClientIdentity,
): Promise<Uint8Array> {
  const pem = (text: string | undefined) => (text === undefined ? null : Buffer.from(text));
  const channel = tls
    ? credentials.createSsl(pem(tls.roots), pem(tls.key), pem(tls.chain))
    : credentials.createInsecure();
  const client = new Client(`localhost:${port}`, channel);
  const bytes = (value: Uint8Array) => Buffer.from(value);
  try {
    return await new Promise<Uint8Array>((resolve, reject) => {
      client.makeUnaryRequest(method, bytes, bytes, request, (error, response) =>
        error ? reject(error) : resolve(response!),
      );
    });
  } finally {
    client.close();
  }
}
