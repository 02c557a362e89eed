import { lookup } from 'node:dns';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';

export interface FetchOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Fetches a text over HTTP. Rejects where it doesn't get one. */
export type FetchText = (url: string, options?: FetchOptions) => Promise<string>;

/** Addresses that nobody's keys are at, but a cloud's credentials: link-local ones, and metadata services. */
const always = ['169.254.0.0/16', 'fe80::/10', '100.100.100.200/32', 'fd00:ec2::254/128'];

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

function blockList(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of [...always, ...cidrs]) {
    const [network = '', bits] = cidr.split('/');
    list.addSubnet(network, Number(bits), familyOf(network));
  }
  return list;
}

/** Whether an address must not be connected to. @param cidrs those that are blocked beside the ones that always are */
export function isBlockedAddress(address: string, cidrs: readonly string[] = []): boolean {
  return blockList(cidrs).check(address, familyOf(address));
}

export interface FetchTextOptions {
  /** CIDRs that aren't connected to, beside those that never are. */
  readonly blocked?: readonly string[];
  readonly maximumLength?: number;
  /** Roots that are trusted beside those of the system, as PEM. */
  readonly extraRoots?: string;
  /** Whether any certificate will do. */
  readonly insecure?: boolean;
}

const DEFAULT_TIMEOUT_MS = 5000;
const MAXIMUM_REDIRECTS = 10;

/** Fetches texts over HTTP, but from no address that is blocked; where redirects lead is looked at alike. */
export function textFetcher({
  blocked = [],
  maximumLength = 1 << 20,
  extraRoots,
  insecure = false,
}: FetchTextOptions = {}): FetchText {
  const list = blockList(blocked);
  const isBlocked = (address: string): boolean => list.check(address, familyOf(address));
  const lookup = guardedLookup(isBlocked);
  let roots: readonly string[] | undefined;
  const trust = () => ({ ca: [...(roots ??= trustedRoots(extraRoots))], rejectUnauthorized: !insecure });

  async function open(url: URL, signal: AbortSignal): Promise<IncomingMessage> {
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) > 0 && isBlocked(literal)) throw new Error(`the address ${literal} is blocked`);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const options = { lookup, signal, agent: false as const };
    const request =
      url.protocol === 'https:' ? getHttps(url, { ...options, ...trust() }, resolve) : getHttp(url, options, resolve);
    request.on('error', reject);
    return promise;
  }

  return async (given, { timeoutMs = DEFAULT_TIMEOUT_MS, signal: stop } = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = stop ? AbortSignal.any([timeout, stop]) : timeout;
    let url = httpUrl(given);
    for (let redirects = 0; redirects <= MAXIMUM_REDIRECTS; redirects++) {
      const response = await open(url, signal);
      const { statusCode = 0, headers } = response;
      if (statusCode >= 200 && statusCode < 300) return readText(response, maximumLength);
      response.destroy();
      if (!isRedirect(statusCode) || headers.location === undefined) {
        throw new Error(`${url.hostname} answers with status ${statusCode}`);
      }
      url = redirected(url, headers.location);
    }
    throw new Error(`${url.hostname} redirects too often`);
  };
}

const trustedRoots = (extra = ''): readonly string[] => [
  ...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...(extra ? [extra] : [])]),
];

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

function httpUrl(text: string, base?: URL): URL {
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('only http and https URLs are fetched');
  return url;
}

/** Keys whose server was to prove who it is must not come from one that doesn't. */
function redirected(from: URL, location: string): URL {
  const to = httpUrl(location, from);
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new Error(`${from.hostname} redirects from https to http`);
  }
  return to;
}

/** Looks at the addresses where they are used, so that a second answer of DNS can't be another. */
function guardedLookup(isBlocked: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const allowed = error ? [] : addresses.filter(({ address }) => !isBlocked(address));
      const [first] = allowed;
      if (error || !first) callback(error ?? new Error(`the address of ${hostname} is blocked`), '', 0);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

async function readText(response: IncomingMessage, maximumLength: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop destroys the response.
    if (length > maximumLength) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
