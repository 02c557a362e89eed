import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type ListeningServer, listen } from './listen.ts';

/** A request as it arrived. */
export interface Echoed {
  /** The name of the server that it arrived at. */
  readonly server: string;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly host: string;
  readonly headers: IncomingHttpHeaders;
  /** The address that it came from. */
  readonly peer: string;
}

/**
 * Headers by which a request says how it wants to be answered: with a status, late (milliseconds), or with 503 by the server
 * of a name.
 */
export const ask = { status: 'x-echo-status', delay: 'x-echo-delay', failing: 'x-echo-failing' } as const;

/** A server that answers with what it saw, and remembers it. */
export interface HttpEcho extends ListeningServer {
  readonly seen: readonly Echoed[];
}

export async function startHttpEcho(name: string, address: string): Promise<HttpEcho> {
  const seen: Echoed[] = [];
  const server = createServer((request, response) => {
    const { headers, method = '', url = '', socket } = request.resume();
    const echoed = {
      server: name,
      method,
      path: url,
      host: headers.host ?? '',
      headers,
      peer: socket.remoteAddress ?? '',
    };
    seen.push(echoed);
    const status = headers[ask.failing] === name ? 503 : Number(headers[ask.status] ?? 200);
    setTimeout(
      () => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(echoed)),
      Number(headers[ask.delay] ?? 0),
    ).unref();
  });
  return { ...(await listen(server, address)), seen };
}
