import type { KeepaliveOptions } from './keepalive.ts';
import type { ServerObserver } from './observer.ts';

/** What a server allows its clients. */
export interface ServerLimits {
  /** Longer messages end their call with RESOURCE_EXHAUSTED; 4 MiB by default, as in gRPC. */
  readonly maxReceiveBytes: number;
  /** Calls at a time on one connection. */
  readonly maxConcurrentStreams: number;
  /** Bytes that a client may send on one call before the handler has taken them. */
  readonly initialWindowBytes: number;
  /** The same for all calls of a connection together. */
  readonly connectionWindowBytes: number;
  /** Memory for the bookkeeping of one connection (`maxSessionMemory` of node:http2); above it new calls are refused. */
  readonly maxSessionMegabytes: number;
  /** Absent: dead clients are only noticed by TCP. */
  readonly keepalive: KeepaliveOptions | undefined;
  /** Age at which a connection is asked to end (a tenth of jitter is added or taken away); never by default. */
  readonly maxAgeMs: number;
  /** How long the calls of such a connection may go on. */
  readonly maxAgeGraceMs: number;
}

export interface ServerOptions extends Partial<ServerLimits> {
  readonly observer?: ServerObserver;
}

export const defaultLimits: ServerLimits = {
  maxReceiveBytes: 4 * 1024 * 1024,
  maxConcurrentStreams: 10_000,
  initialWindowBytes: 256 * 1024,
  connectionWindowBytes: 1024 * 1024,
  maxSessionMegabytes: 100,
  keepalive: { intervalMs: 30_000, timeoutMs: 10_000 },
  maxAgeMs: Infinity,
  maxAgeGraceMs: Infinity,
};
