import { Agent, get, type IncomingMessage } from 'node:http';
import { until } from '@kedge/testbed';
import type { Split } from './manifests.ts';

const CONCURRENCY = 8;
const TIMEOUT_MS = 5000;

/** Requests without a pause, from now until it is disposed of. */
export class Traffic implements AsyncDisposable {
  readonly #url: string;
  readonly #host: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  readonly #loops: readonly Promise<void>[];
  #running = true;
  #answers = new Map<string, number>();
  readonly #failures: string[] = [];
  #requests = 0;

  constructor(url: string, host: string) {
    this.#url = url;
    this.#host = host;
    this.#loops = Array.from({ length: CONCURRENCY }, () => this.#loop());
  }

  /** How many requests there were since the start. */
  get requests(): number {
    return this.#requests;
  }

  /** Throws if one of the requests failed. */
  assertNoFailure(): void {
    const [first] = this.#failures;
    if (first !== undefined) {
      throw new Error(`${this.#failures.length} of ${this.#requests} requests failed, the first with: ${first}`);
    }
  }

  /** How the answers of the next requests are split, in percent. Rejects if any request failed so far. */
  async measure(requests: number, signal: AbortSignal): Promise<Split> {
    const answers = (this.#answers = new Map<string, number>());
    const count = (version: string): number => answers.get(version) ?? 0;
    const counted = (): number => count('v1') + count('v2');
    await until(`${requests} answers`, () => counted() >= requests || this.#failures.length > 0, { signal });
    this.assertNoFailure();
    const percent = (version: string): number => Math.round((1000 * count(version)) / counted()) / 10;
    return { v1: percent('v1'), v2: percent('v2') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
    this.#agent.destroy();
  }

  async #loop(): Promise<void> {
    while (this.#running) {
      const answers = this.#answers;
      this.#requests += 1;
      try {
        const version = await this.#request();
        answers.set(version, (answers.get(version) ?? 0) + 1);
      } catch (error) {
        this.#failures.push(error instanceof Error ? error.message : String(error));
      }
    }
  }

  #request(): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const options = { agent: this.#agent, headers: { host: this.#host }, timeout: TIMEOUT_MS };
    const call = get(this.#url, options, (response: IncomingMessage) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.on('error', reject).on('end', () => {
        if (response.statusCode === 200) resolve(body);
        else reject(new Error(`status ${response.statusCode}: ${body}`));
      });
    });
    call.on('timeout', () => call.destroy(new Error('no answer in time'))).on('error', reject);
    return promise;
  }
}
