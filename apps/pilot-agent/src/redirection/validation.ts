import { randomUUID } from 'node:crypto';
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ValidationTarget {
  readonly podAddress: string;
  /** The ports that redirected connections may come to. */
  readonly ports: readonly number[];
  /** The port that is connected to, where nobody listens. */
  readonly probePort: number;
  readonly timeoutMs: number;
}

/**
 * Whether connections are redirected: stands in for the proxy on loopback and connects to where nobody listens. A
 * connection that says its word to one of our listeners was redirected.
 *
 * @returns what is wrong; undefined if nothing is
 */
export async function validateRedirection(target: ValidationTarget): Promise<string | undefined> {
  const ipv6 = isIPv6(target.podAddress);
  const [listen, probe] = ipv6 ? ['::1', '::6'] : ['127.0.0.1', '127.0.0.6'];
  const word = randomUUID();
  const arrived = Promise.withResolvers<'redirected'>();
  const servers = await Promise.all(
    target.ports.map((port) => listenFor(word, listen, port, () => arrived.resolve('redirected'))),
  );
  const listening = servers.filter((server) => server !== undefined);
  const ended = new AbortController();
  try {
    if (listening.length === 0) return `no port of ${target.ports.join(', ')} can be listened on at ${listen}`;
    void knock(word, listen, probe, target.probePort, ended.signal);
    const timeout = sleep(target.timeoutMs, 'timeout', { signal: ended.signal }).catch(() => undefined);
    const outcome = await Promise.race([arrived.promise, timeout]);
    return outcome === 'timeout' ? `no connection was redirected within ${target.timeoutMs} ms` : undefined;
  } finally {
    ended.abort();
    for (const server of listening) server.close();
  }
}

/** A listener; undefined if the port is taken. */
function listenFor(word: string, host: string, port: number, onWord: () => void): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.setEncoding('utf8').on('error', () => undefined);
      let heard = '';
      socket.on('data', (text: string) => {
        heard += text;
        if (heard.includes(word)) onWord();
      });
      socket.on('end', () => socket.destroy());
    });
    server.on('error', () => resolve(undefined));
    server.listen({ host, port }, () => resolve(server));
  });
}

/** Says the word again and again. */
async function knock(word: string, from: string, host: string, port: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const socket: Socket = connect({ host, port, localAddress: from });
    socket.on('error', () => socket.destroy()).on('connect', () => socket.end(word));
    const close = () => socket.destroy();
    signal.addEventListener('abort', close, { once: true });
    await sleep(500, undefined, { signal }).catch(() => undefined);
    signal.removeEventListener('abort', close);
    socket.destroy();
  }
}
