import { appendFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fields, Logger } from '@kedge/observability';

const levels = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
type Level = (typeof levels)[number];

export const logSocketName = 'log.sock';
export const logPath = '/log';
const fileName = 'istio-cni.log';
const maxFileBytes = 10 * 1024 * 1024;
/** Nobody waits longer for a log. */
const sendTimeoutMs = 1_000;

/**
 * The log of one call of the plugin. stdout is the runtime's, so lines are kept, and in the end go to the agent, which
 * prints them among its own, and to a file beside its socket, for when there is no agent.
 */
export class PluginLog {
  readonly #lines: string[] = [];
  readonly #now: () => Date;
  #threshold = levels.indexOf('info');

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  setLevel(name: string): void {
    const level = levels.findIndex((each) => each === name);
    if (level >= 0) this.#threshold = level;
    else if (name === 'none') this.#threshold = levels.length;
  }

  logger(bound: Fields = {}): Logger {
    const at = (level: Level) => (msg: string, fields?: Fields) => {
      if (levels.indexOf(level) < this.#threshold) return;
      const time = this.#now().toISOString();
      this.#lines.push(JSON.stringify({ ...bound, ...fields, level, time, msg }));
    };
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      fatal: at('fatal'),
      enabled: (level) => levels.indexOf(level) >= this.#threshold,
      with: (fields) => this.logger({ ...bound, ...fields }),
    };
  }

  /** Hands the lines over. A log that can't be written is no reason to fail. */
  async flush(runDir: string): Promise<void> {
    if (this.#lines.length === 0) return;
    await Promise.allSettled([
      sendTo(join(runDir, logSocketName), this.#lines),
      appendTo(join(runDir, fileName), this.#lines),
    ]);
  }
}

async function appendTo(file: string, lines: readonly string[]): Promise<void> {
  const size = await stat(file).then(
    (of) => of.size,
    () => 0,
  );
  if (size > maxFileBytes) await rename(file, `${file}.1`);
  await appendFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
}

async function sendTo(socketPath: string, lines: readonly string[]): Promise<void> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(sendTimeoutMs);
    const call = request({ socketPath, path: logPath, method: 'POST', agent: false, signal }, (response) => {
      response.resume().on('close', () => resolve());
    });
    call.on('error', reject);
    call.end(JSON.stringify(lines));
  });
}
