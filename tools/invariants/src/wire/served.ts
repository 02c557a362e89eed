import type { MemoOptions } from '@kedge/incremental';
import type { Proxy } from '@kedge/model';
import { MeshClient, meshGenerators } from '@kedge/pilot-discovery';
import type { PushContext } from '@kedge/pushcontext';
import { DiscoveryServer } from '@kedge/xds-core';
import { advanced, freshContext, type Mesh } from '../mesh.ts';
import { type Protocol, WireClient } from './client.ts';
import { LocalClock } from './local-clock.ts';
import { LocalStream } from './local-stream.ts';

/** A step from one mesh to another. */
interface Change {
  readonly from: Mesh;
  readonly to: Mesh;
}

/** More than any delay of the server's. */
const LONG_MS = 20_000;

/** The server as it runs in production, in a process without network and time, and clients of it. */
export class Served implements Disposable {
  readonly #clock = new LocalClock();
  readonly #proxies = new Map<string, Proxy>();
  readonly #clients = new Map<WireClient, string>();
  #connected = 0;
  /** What all clients have received so far. */
  messages = 0;
  readonly server: DiscoveryServer<PushContext, MeshClient, Change>;
  #mesh: Mesh;

  constructor(mesh: Mesh, options?: MemoOptions) {
    this.#mesh = mesh;
    this.server = new DiscoveryServer<PushContext, MeshClient, Change>({
      initialSnapshot: freshContext(mesh, options),
      nextSnapshot: (push, { from, to }) => advanced(push, from, to),
      mergeRequests: ({ from }, { to }) => ({ from, to }),
      connect: ({ id = '' }) => {
        const proxy = this.#proxies.get(id);
        if (!proxy) throw new Error(`nobody is called ${id}`);
        const client = new MeshClient(proxy, { isLocal: true, envoyClass: '' });
        return { kind: 'accepted', client, nodeType: proxy.type };
      },
      disconnected: (client) => client[Symbol.dispose](),
      needsPush: (client) => client.pushScope,
      generators: meshGenerators(),
      clock: this.#clock,
    });
  }

  connect(proxy: Proxy, protocol: Protocol): WireClient {
    const id = String(this.#connected++);
    this.#proxies.set(id, proxy);
    const stream = new LocalStream();
    if (protocol === 'delta') this.server.deltaAggregatedResources(stream);
    else this.server.streamAggregatedResources(stream);
    const client = new WireClient(stream, protocol, id);
    this.#clients.set(client, id);
    return client;
  }

  disconnect(client: WireClient): void {
    client.hangUp();
    this.#proxies.delete(this.#clients.get(client) ?? '');
    this.#clients.delete(client);
    this.settle();
  }

  change(to: Mesh): void {
    this.server.configUpdate({ from: this.#mesh, to });
    this.#mesh = to;
    this.settle();
  }

  /** Lets everybody have what is due to them, and accept it. */
  settle(): void {
    for (let isBusy = true; isBusy;) {
      this.#clock.advance(LONG_MS);
      isBusy = false;
      for (const client of this.#clients.keys())
        while (client.work()) {
          isBusy = true;
          this.messages += 1;
        }
    }
  }

  [Symbol.dispose](): void {
    this.server[Symbol.dispose]();
  }
}
