import { isIP } from 'node:net';
import type { Hostname } from '@kedge/model';
import { hostAndPort, urlHost } from './host-and-port.ts';

/** A service, as far as the names by which clients call it follow from it. */
interface NamedService {
  readonly hostname: Hostname;
  readonly aliases: readonly Hostname[];
  readonly addresses: readonly string[];
  /** Its endpoints have names of their own below its name. */
  readonly headless: boolean;
}

/** How clients of a listener write hosts. */
export interface ClientView {
  /** The domain that the client looks names up in, such as `shop.svc.cluster.local`. */
  readonly dnsDomain: string;
  /** The port that they may add; undefined where Envoy ignores it. */
  readonly port: number | undefined;
  /** Whether names with a dot at the end are known too. */
  readonly absoluteNames: boolean;
}

export interface Domains {
  readonly domains: readonly string[];
  /** Those that are not names of the service but short for them; a service that has such a name itself goes before. */
  readonly shorthand: ReadonlySet<string>;
}

/** All that may stand in the `Host` header of a request for a service. */
export function serviceDomains(service: NamedService, client: ClientView): Domains {
  const shorthand = new Set<string>();
  const domains: string[] = [];
  for (const name of [service.hostname, ...service.aliases]) {
    domains.push(...withPort(name, client.port));
    for (const short of [
      ...absoluteNames(name, client),
      ...shortNames(name, client.dnsDomain).flatMap((short) => withPort(short, client.port)),
    ]) {
      shorthand.add(short);
      domains.push(short);
    }
  }
  if (service.headless) domains.push(...domains.map((domain) => `*.${domain}`));
  domains.push(...service.addresses.flatMap((address) => withPort(address, client.port)));
  return { domains, shorthand };
}

function withPort(host: string, port: number | undefined): readonly string[] {
  return port === undefined ? [urlHost(host)] : [urlHost(host), hostAndPort(host, port)];
}

function absoluteNames(host: Hostname, { port, absoluteNames: wanted }: ClientView): readonly string[] {
  if (!wanted) return [];
  return [...(isIP(host) === 0 ? [`${host}.`] : []), ...(port === undefined ? [] : [hostAndPort(`${host}.`, port)])];
}

/** The names that DNS completes to a host for clients in a domain. */
export function shortNames(host: Hostname, dnsDomain: string): readonly string[] {
  const svc = dnsDomain.indexOf('.svc.');
  return svc >= 0 ? shortServiceNames(host, dnsDomain, svc) : namesWithoutSuffix(host, dnsDomain);
}

/** What clients of all namespaces have in common of the domain that they look names up in. */
export function commonDomain(dnsDomain: string): string {
  const svc = dnsDomain.indexOf('.svc.');
  return svc > 0 ? dnsDomain.slice(svc) : dnsDomain;
}

/** Whether clients in a domain may call any of the hosts without its namespace, unlike those who only have `commonDomain`. */
export function isCalledByItsName(hosts: readonly Hostname[], dnsDomain: string): boolean {
  const svc = dnsDomain.indexOf('.svc.');
  if (svc <= 0) return false;
  const namespace = dnsDomain.slice(0, svc + '.svc.'.length);
  return hosts.some((host) => host.startsWith(namespace, host.indexOf('.') + 1));
}

/** `web`, `web.shop` and `web.shop.svc` for a service of the client's namespace; the latter two for one of another. */
function shortServiceNames(host: Hostname, dnsDomain: string, svc: number): readonly string[] {
  if (!host.endsWith(svc > 0 ? dnsDomain.slice(svc) : dnsDomain)) return [];
  const end = host.indexOf('.svc.');
  const dot = host.indexOf('.');
  if (end <= 0 || dot + 1 > end) return [];
  const qualified = host.slice(0, end);
  const names = [qualified, `${qualified}.svc`];
  return host.slice(dot + 1, end) === dnsDomain.slice(0, svc) ? [host.slice(0, dot), ...names] : names;
}

/** Outside of Kubernetes: what is left of a name without the end that it shares with the client's domain. */
function namesWithoutSuffix(host: Hostname, dnsDomain: string): readonly string[] {
  const labels = host.split('.');
  const domain = dnsDomain.split('.');
  let shared = 0;
  while (shared < Math.min(labels.length, domain.length) && labels.at(-1 - shared) === domain.at(-1 - shared)) shared++;
  if (shared === 0) return [];
  const unique = labels.slice(0, labels.length - shared);
  const name = unique.join('.');
  return unique.length === 2 ? [name, `${name}.${labels[unique.length]}`] : [name];
}
