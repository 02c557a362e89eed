import { get } from 'node:http';

export interface GetOptions {
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A Unix socket to ask at; the URL's host and port then name nothing. */
  readonly socketPath?: string;
}

/** The body of an answer with status 200. Rejects for every other, and where there is none in time. */
export function getText(url: string, { timeoutMs = 5000, headers = {}, socketPath }: GetOptions = {}): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const signal = AbortSignal.timeout(timeoutMs);
  get(url, { agent: false, signal, headers, ...(socketPath !== undefined && { socketPath }) }, (response) => {
    const chunks: Buffer[] = [];
    response.on('error', reject).on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (response.statusCode === 200) resolve(body);
      else reject(new Error(`${url} answers ${response.statusCode}: ${body.trim()}`));
    });
  }).on('error', reject);
  return promise;
}

export async function getJson(url: string, options?: GetOptions): Promise<unknown> {
  return JSON.parse(await getText(url, options));
}
