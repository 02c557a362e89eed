import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a request of the status server. */
export type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>;

export function answer(response: ServerResponse, status: number, body: string | Buffer): void {
  if (response.headersSent) return;
  response.writeHead(status).end(body);
}

const isLocal = ({ socket }: IncomingMessage): boolean => {
  const address = (socket.remoteAddress ?? '').replace(/^::ffff:/, '');
  return address === '::1' || address.startsWith('127.');
};

/** What only this host may ask for. */
export function onlyLocal(handle: Handler): Handler {
  return (request, response, url) => {
    if (isLocal(request)) return handle(request, response, url);
    answer(response, 403, 'only requests from this host are allowed\n');
    return undefined;
  };
}

/** A command, which only a POST from this host may give. */
export function localCommand(run: () => void): Handler {
  return onlyLocal((request, response) => {
    if (request.method !== 'POST') answer(response, 405, 'method not allowed\n');
    else {
      answer(response, 200, 'OK');
      run();
    }
  });
}
