import { lookup } from 'node:dns';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import type { FetchText } from './jwks-cache.ts';

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
  readonly timeoutMs?: number;
  readonly maximumLength?: number;
}

/** Fetches texts over HTTP, but from no address that is blocked; redirects aren't followed, since they may lead to one. */
export function textFetcher({
  blocked = [],
  timeoutMs = 5000,
  maximumLength = 1 << 20,
}: FetchTextOptions = {}): FetchText {
  const list = blockList(blocked);
  const isBlocked = (address: string): boolean => list.check(address, familyOf(address));
  return async (url) => {
    const { hostname, protocol } = new URL(url);
    if (protocol !== 'http:' && protocol !== 'https:') throw new Error('only http and https URLs are fetched');
    const literal = hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) > 0 && isBlocked(literal)) throw new Error(`the address ${literal} is blocked`);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const get = protocol === 'https:' ? getHttps : getHttp;
    const options = { lookup: guardedLookup(isBlocked), signal: AbortSignal.timeout(timeoutMs), agent: false as const };
    get(url, options, resolve).on('error', reject);
    const response = await promise;
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`${hostname} answers with status ${response.statusCode}`);
    }
    return readText(response, maximumLength);
  };
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
