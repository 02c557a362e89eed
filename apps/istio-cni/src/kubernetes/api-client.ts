import type { IncomingMessage } from 'node:http';
import type { RequestOptions } from 'node:https';
import type { ApiAccess } from './api-access.ts';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of the body; JSON if not given. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

/** The API server refused. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** Of HTTP. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Answers take no longer than this to begin, and a whole one to arrive. */
const requestTimeoutMs = 5_000;
/** More than any answer has: a list of the pods of a node. */
const maxAnswerBytes = 64 * 1024 * 1024;

/** A client of the API server without caches or generated types: one request, one connection. */
export class ApiClient {
  readonly #access: () => Promise<ApiAccess>;

  /** @param access asked for each request, for credentials are renewed */
  constructor(access: () => Promise<ApiAccess>) {
    this.#access = access;
  }

  /** @throws ApiError if the server refuses; other errors if it can't be reached */
  async json(call: ApiRequest): Promise<unknown> {
    const timeout = AbortSignal.timeout(requestTimeoutMs);
    const signal = call.signal ? AbortSignal.any([call.signal, timeout]) : timeout;
    const access = await this.#access();
    try {
      const response = await send(access, { ...call, signal });
      const text = await textOf(response);
      if (!isSuccess(response)) throw refusal(response, text);
      return JSON.parse(text) as unknown;
    } catch (error) {
      if (timeout.aborted) throw new Error(`${access.server} did not answer within ${requestTimeoutMs / 1000} s`);
      throw error;
    }
  }

  /** The objects of a watch, one a line, until the server or `signal` ends it. */
  async *lines(call: ApiRequest & { readonly signal: AbortSignal }): AsyncGenerator<unknown> {
    const response = await send(await this.#access(), call);
    if (!isSuccess(response)) throw refusal(response, await textOf(response));
    let rest = '';
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = (rest + (chunk as string)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as unknown;
    }
  }
}

async function send(access: ApiAccess, call: ApiRequest): Promise<IncomingMessage> {
  const url = new URL(access.server.replace(/\/$/, '') + call.path);
  url.search = new URLSearchParams(call.query).toString();
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const options: RequestOptions = {
    method: call.method,
    signal: call.signal,
    agent: false,
    headers: {
      accept: 'application/json',
      'user-agent': 'istio-cni',
      ...(access.token && { authorization: `Bearer ${access.token}` }),
      ...(body !== undefined && {
        'content-type': call.contentType ?? 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    },
    ca: access.authority,
    cert: access.clientCertificate,
    key: access.clientKey,
    servername: access.serverName,
    rejectUnauthorized: access.skipTlsVerify !== true,
    minVersion: 'TLSv1.2',
  };
  // Loaded when needed: it takes as long as all else of the plugin, most of whose calls ask for nothing.
  const { request: open } = await (url.protocol === 'http:' ? import('node:http') : import('node:https'));
  return new Promise((resolve, reject) => {
    const request = open(url, options, resolve);
    request.on('error', (error: Error) => reject(new Error(`${access.server}: ${reasonOf(error)}`)));
    request.end(body);
  });
}

/** Where an address has several, the errors of all come as one without a message. */
function reasonOf(error: Error): string {
  return error instanceof AggregateError
    ? (error.errors as readonly Error[]).map(({ message }) => message).join(', ')
    : error.message;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > maxAnswerBytes) throw new Error('the answer of the API server is too long');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** What the server says in its `Status`, or the beginning of whatever it says. */
function refusal({ statusCode = 0 }: IncomingMessage, text: string): ApiError {
  let message = text.slice(0, 200).trim();
  try {
    const status = JSON.parse(text) as { readonly message?: unknown } | null;
    if (typeof status?.message === 'string') message = status.message;
  } catch {
    // It isn't the API server that speaks.
  }
  return new ApiError(statusCode, `${message || 'the API server refused'} (HTTP ${statusCode})`);
}
