import { Client, credentials, Metadata } from '@grpc/grpc-js';
import type { CallerCredentials } from './credential-files.ts';

export interface Target {
  /** `host:port`. */
  readonly address: string;
  /** The name that the server's certificate must have; empty for the host of the address. */
  readonly serverName: string;
  /** Told to the server with each call. */
  readonly clusterId: string;
  /** Whether there is no TLS. */
  readonly plainText?: boolean;
  /** Further metadata of each call. */
  readonly headers?: Readonly<Record<string, string>>;
}

const pem = (text: string | undefined): Buffer | null => (text === undefined ? null : Buffer.from(text));

/** A gRPC client for one server; messages are bytes, of any length. */
export function grpcClient(
  { address, serverName, plainText }: Target,
  { roots, certificate }: CallerCredentials,
): Client {
  const channel = plainText
    ? credentials.createInsecure()
    : credentials.createSsl(pem(roots), pem(certificate?.key), pem(certificate?.chain));
  return new Client(address, channel, {
    'grpc.max_receive_message_length': -1,
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
    // Each connection has the credentials that it was made with.
    'grpc.use_local_subchannel_pool': 1,
    ...(serverName && { 'grpc.ssl_target_name_override': serverName }),
  });
}

/** What goes with each call: who calls, unless the certificate of the connection says so, and from which cluster. */
export function callMetadata({ clusterId, headers = {} }: Target, { token }: CallerCredentials): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  metadata.set('clusterid', clusterId);
  return metadata;
}
