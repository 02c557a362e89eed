import type { Node } from '@kedge/envoy-api';
import { GrpcError, Status } from '@kedge/grpc-server';
import type { AdsPeer, AdsStream } from './ads-stream.ts';
import type { AdsRequest, Dialect } from './dialect.ts';
import type { NameLists } from './name-lists.ts';
import type { ConnectResult } from './options.ts';

/** A connection as its stream sees it. */
interface Receiver {
  request(request: AdsRequest): void;
}

interface StreamHandlers<Client, Connection> {
  readonly lists: NameLists;
  /** Calls back when the stream's turn has come. */
  admit(start: () => void): void;
  connect(node: Node, peer: AdsPeer): ConnectResult<Client> | Promise<ConnectResult<Client>>;
  accept(first: AdsRequest, accepted: ConnectResult<Client> & { readonly kind: 'accepted' }): Connection;
  rejected(reason: string): void;
  requested(connection: Connection, request: AdsRequest, bytes: number): void;
  closed(connection: Connection, reason: string): void;
  /** The stream is over, whether or not it became a connection. */
  ended(): void;
}

/**
 * Takes a stream through its life: waiting for admission, the first request with the node, requests, the end.
 * @returns a function that ends it with UNAVAILABLE.
 */
export function openStream<Client, Connection extends Receiver>(
  stream: AdsStream,
  dialect: Dialect,
  handlers: StreamHandlers<Client, Connection>,
): (reason: string) => void {
  let connection: Connection | undefined;
  const end = (reason: string) => stream.end({ code: Status.UNAVAILABLE, message: reason });

  const reject = (status: Parameters<AdsStream['end']>[0]) => {
    handlers.rejected(status?.message ?? '');
    stream.end(status);
  };

  const begin = (first: AdsRequest, bytes: number, result: ConnectResult<Client>) => {
    if (stream.signal.aborted) return;
    if (result.kind === 'rejected') {
      reject(result.status);
      return;
    }
    connection = handlers.accept(first, result);
    handlers.requested(connection, first, bytes);
    connection.request(first);
  };

  const connect = (first: AdsRequest, bytes: number) => {
    const { node } = first;
    if (!node?.id) {
      reject({ code: Status.INVALID_ARGUMENT, message: 'the first request lacks node information' });
      return;
    }
    const result = attempt(() => handlers.connect(node, stream.peer));
    if (!(result instanceof Promise)) {
      begin(first, bytes, result);
      return;
    }
    stream.pause();
    void result
      .catch((error: unknown) => rejection(error))
      .then((known) => {
        begin(first, bytes, known);
        stream.resume();
      });
  };

  const onMessage = (bytes: Uint8Array) => {
    let request: AdsRequest;
    try {
      request = dialect.decode(bytes, handlers.lists);
    } catch (error) {
      stream.end({ code: Status.INVALID_ARGUMENT, message: `malformed request: ${messageOf(error)}` });
      return;
    }
    if (connection === undefined) {
      connect(request, bytes.length);
    } else {
      handlers.requested(connection, request, bytes.length);
      connection.request(request);
    }
  };

  const onAbort = () => {
    if (connection !== undefined) handlers.closed(connection, messageOf(stream.signal.reason));
    handlers.ended();
  };

  if (stream.signal.aborted) return end;
  stream.signal.addEventListener('abort', onAbort, { once: true });
  stream.draining.addEventListener('abort', () => end('the connection is closing'), { signal: stream.signal });
  handlers.admit(() => {
    if (stream.signal.aborted) return;
    if (stream.draining.aborted) end('the connection is closing');
    else stream.receive(onMessage);
  });
  return end;
}

function attempt<T>(run: () => T): T | ReturnType<typeof rejection> {
  try {
    return run();
  } catch (error) {
    return rejection(error);
  }
}

function rejection(error: unknown) {
  return { kind: 'rejected', status: GrpcError.from(error) } as const;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
