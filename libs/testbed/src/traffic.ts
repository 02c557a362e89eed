import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { until, type UntilOptions } from './until.ts';

const CONCURRENCY = 8;
const TIMEOUT_MS = 5000;

export interface TrafficOptions {
  /** How many requests begin in a second, if the machine can; as many as it can where this is absent. */
  readonly perSecond?: number;
}

/** Requests to one URL, with a Host header, from now until it is disposed of. */
export class Traffic implements AsyncDisposable {
  readonly #url: string;
  readonly #host: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  readonly #loops: readonly Promise<void>[];
  #running = true;
  #answers = new Map<string, number>();
  readonly #failures: string[] = [];
  readonly #started = performance.now();
  readonly #perSecond: number;
  #requests = 0;

  constructor(url: string, host: string, { perSecond = Infinity }: TrafficOptions = {}) {
    this.#perSecond = perSecond;
    this.#url = url;
    this.#host = host;
    this.#loops = Array.from({ length: CONCURRENCY }, () => this.#loop());
  }

  /** How many requests there were since the start. */
  get requests(): number {
    return this.#requests;
  }

  /** How many of them there were in a second. */
  get rate(): number {
    return this.#requests / ((performance.now() - this.#started) / 1000);
  }

  /** Throws if one of the requests failed. */
  assertNoFailure(): void {
    const [first] = this.#failures;
    if (first !== undefined) {
      throw new Error(`${this.#failures.length} of ${this.#requests} requests failed, the first with: ${first}`);
    }
  }

  /** The bodies of the next answers, with how often each came. Rejects if any request failed so far. */
  async take(count: number, options: UntilOptions = {}): Promise<ReadonlyMap<string, number>> {
    const answers = (this.#answers = new Map<string, number>());
    const taken = (): number => [...answers.values()].reduce((sum, n) => sum + n, 0);
    await until(`${count} answers`, () => taken() >= count || this.#failures.length > 0, options);
    this.assertNoFailure();
    return new Map(answers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#running = false;
    await Promise.all(this.#loops);
    this.#agent.destroy();
  }

  async #loop(): Promise<void> {
    while (this.#running) {
      const answers = this.#answers;
      const early = this.#started + (this.#requests * 1000) / this.#perSecond - performance.now();
      this.#requests += 1;
      if (early > 0) await sleep(early);
      try {
        const body = await this.#request();
        answers.set(body, (answers.get(body) ?? 0) + 1);
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
