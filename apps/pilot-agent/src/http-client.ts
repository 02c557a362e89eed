import { request } from 'node:http';

export interface HttpRequest {
  readonly method: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly timeoutMs: number;
  /** How long the body of the answer may be; absent: any length. */
  readonly maxBytes?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** One request on a connection of its own. Rejects if it fails or takes longer than its timeout, body included. */
export function send({ timeoutMs, maxBytes = Infinity, body, ...options }: HttpRequest): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const signal = AbortSignal.timeout(timeoutMs);
  const call = request({ ...options, agent: false, signal }, (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) response.destroy(new Error(`the answer is longer than ${maxBytes} bytes`));
      else chunks.push(chunk);
    });
    response.on('error', reject);
    response.on('end', () => {
      resolve({
        status: response.statusCode ?? 0,
        contentType: response.headers['content-type'] ?? '',
        body: Buffer.concat(chunks).toString(),
      });
    });
  });
  call.on('error', (error) => {
    reject(signal.aborted ? new Error(`no answer within ${timeoutMs} ms`) : error);
  });
  call.end(body);
  return promise;
}
