import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A workload: it answers, tells metrics, and is well or not. */
export class Application implements AsyncDisposable {
  isWell = true;
  port = 0;
  readonly #server = createServer(({ url, headers }, response) => {
    if (url === '/metrics') response.end('app_requests 1\n');
    else if (url === '/well') response.writeHead(this.isWell ? 200 : 503).end(headers['user-agent']);
    else response.end('hello');
  });

  async start(host: string): Promise<this> {
    await once(this.#server.listen(0, host), 'listening');
    this.port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close().closeAllConnections();
    await closed;
  }
}
