import type { Duplex } from 'node:stream';
import { BufferPool } from './buffer-pool.ts';
import { Connection } from './connection.ts';
import { openListener, type ListenAddress, type Listener } from './listener.ts';
import type { ServerObserver } from './observer.ts';
import { defaultLimits, type ServerLimits, type ServerOptions } from './options.ts';
import type { Method, ServiceMethods } from './service.ts';

/** A gRPC server over node:http2 that deals in encoded messages; it may listen at several addresses. */
export class GrpcServer implements AsyncDisposable {
  readonly #limits: ServerLimits;
  readonly #observer: ServerObserver;
  readonly #methods = new Map<string, Method>();
  readonly #services = new Set<string>();
  readonly #listeners = new Set<Listener>();
  readonly #connections = new Set<Connection>();
  readonly #buffers = new BufferPool();
  #whenIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor({ observer = {}, ...limits }: ServerOptions = {}) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#observer = observer;
  }

  /** The full names of the services, in the order of their registration. */
  get services(): readonly string[] {
    return [...this.#services];
  }

  /** @param name the full name, `package.Service`; a service can be added only once. */
  addService(name: string, methods: ServiceMethods): this {
    if (this.#services.has(name)) throw new Error(`the service ${name} is already registered`);
    this.#services.add(name);
    for (const [method, implementation] of Object.entries(methods)) {
      this.#methods.set(`/${name}/${method}`, implementation);
    }
    return this;
  }

  /** Rejects where the address can't be bound or the TLS credentials aren't valid. */
  async listen(address: ListenAddress): Promise<Listener> {
    const listener = await openListener(address, {
      onConnection: (socket) => this.attach(socket),
      onHandshakeFailure: (from, error) => this.#observer.handshakeFailed?.(from, error),
    });
    if (this.#closing) {
      listener.close();
      throw new Error('the server is shut down');
    }
    this.#listeners.add(listener);
    return listener;
  }

  /** Serves a client on a stream that was accepted elsewhere and from which nothing was read. */
  attach(socket: Duplex): void {
    if (this.#closing || socket.destroyed) {
      socket.destroy();
      return;
    }
    const connection: Connection = new Connection(socket, {
      methods: this.#methods,
      limits: this.#limits,
      observer: this.#observer,
      buffers: this.#buffers,
      onClose: () => {
        this.#connections.delete(connection);
        if (this.#connections.size === 0) this.#whenIdle?.();
      },
    });
    this.#connections.add(connection);
  }

  /**
   * Stops listening, tells clients to go away, and lets calls go on for `graceMs` (see `CallContext.draining`) before they
   * end with UNAVAILABLE. Settles when all connections are closed; a later call may only shorten the grace.
   */
  shutdown(graceMs = 0): Promise<void> {
    this.#closing ??= new Promise((resolve) => (this.#whenIdle = resolve));
    for (const listener of this.#listeners) listener.close();
    this.#listeners.clear();
    for (const connection of this.#connections) connection.drain(graceMs);
    if (this.#connections.size === 0) this.#whenIdle?.();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.shutdown();
  }
}
