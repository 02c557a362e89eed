import { setTimeout as sleep } from 'node:timers/promises';
import { download, type DownloadOptions } from './download.ts';
import { unpackModule } from './unpack.ts';

export interface HttpModuleOptions extends DownloadOptions {
  /** How often it is tried. */
  readonly attempts: number;
  /** How long one try may take. */
  readonly requestTimeoutMs: number;
  /** Before the second try; it doubles. */
  readonly firstDelayMs: number;
}

/** Errors of a server that another try may not meet. */
const isTemporary = (status: number): boolean => status >= 500 && ![501, 505, 511].includes(status);

/**
 * Downloads a module by HTTP, out of its archive where it is in one.
 * @throws Error telling the last failure.
 */
export async function fetchHttpModule(url: string, options: HttpModuleOptions): Promise<Buffer> {
  const { attempts, requestTimeoutMs, firstDelayMs, signal, maxBytes } = options;
  let problem: unknown;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      const attemptSignal = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
      const { status, body } = await download(url, { ...options, signal: attemptSignal });
      if (status === 200) return await unpackModule(body, maxBytes);
      problem = new Error(`the status is ${status}`);
      if (!isTemporary(status)) break;
    } catch (error) {
      problem = error;
    }
    if (signal.aborted) break;
    if (attempt < attempts) {
      await sleep(firstDelayMs * 2 ** (attempt - 1), undefined, { signal }).catch(() => undefined);
    }
  }
  throw new Error(`${url}: ${problem instanceof Error ? problem.message : String(problem)}`);
}
