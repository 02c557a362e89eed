import { rm, mkdir } from 'node:fs/promises';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Logger } from '@kedge/observability';
import { logPath } from '../plugin/plugin-log.ts';

/** A call's log is far shorter. */
const maxBytes = 1024 * 1024;
const messageLevels = ['debug', 'info', 'warn', 'error'] as const;

/** Prints what plugins log, which come to a Unix socket with it. */
export async function serveLogs(socket: string, log: Logger): Promise<AsyncDisposable> {
  await mkdir(dirname(socket), { recursive: true });
  await rm(socket, { force: true });
  const server = createServer((request, response) => {
    const isLog = request.method === 'POST' && request.url === logPath;
    const length = Number(request.headers['content-length'] ?? 0);
    if (!isLog || length > maxBytes) {
      response.writeHead(isLog ? 413 : 404).end();
      request.destroy();
      return;
    }
    void text(request).then(
      (body) => {
        for (const print of entriesOf(body)) print(log);
        response.end();
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(socket, () => {
      // Plugins are run by root.
      chmodSync(socket, 0o600);
      resolve();
    });
  });
  return {
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Print = (log: Logger) => void;

/** A list of texts, each an entry as JSON. What isn't one is left out: it is only a log. */
function entriesOf(body: string): readonly Print[] {
  const lines = parse(body);
  if (!Array.isArray(lines)) return [];
  return lines.flatMap((line): readonly Print[] => {
    const entry = typeof line === 'string' ? parse(line) : undefined;
    if (typeof entry !== 'object' || entry === null) return [];
    const { level, msg, time: _, ...fields } = entry as Readonly<Record<string, unknown>>;
    const known = messageLevels.find((each) => each === level) ?? 'info';
    return typeof msg === 'string' ? [(log) => log[known](msg.trim(), fields)] : [];
  });
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
