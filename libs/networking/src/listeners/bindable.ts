import type { MeshRead } from '@kedge/config';
import { isHttp, type Protocol } from '@kedge/model';
import { meshConfig, metadataText, rawMetadata } from '@kedge/pushcontext';
import { ipFamilies, wildcards } from '../ip-families.ts';

const PRIVILEGED_BELOW = 1024;

/** Where something would like to listen; no address means: wherever its service is. */
export interface Place {
  readonly address: string;
  readonly port: number;
  readonly protocol: Protocol;
  readonly toPort: boolean;
}

/**
 * Whether the proxy may listen there: its own ports are not for services, and an unprivileged one can't open low ports.
 * `virtual` says whether the ports to which connections are redirected count among its own.
 */
export function canListen(read: MeshRead, place: Place, virtual = true): boolean {
  const { address, port, protocol, toPort } = place;
  const isLow = port > 0 && port < PRIVILEGED_BELOW;
  if (toPort && isLow && read.fact(metadataText, 'unprivilegedPod') === true) return false;
  const [wildcard] = wildcards(read.fact(ipFamilies));
  const isWide = address === '' ? isHttp(protocol) : address === wildcard;
  return !isWide || !(ownPorts(read).has(port) || (virtual && redirectPorts(read).has(port)));
}

function ownPorts(read: MeshRead): ReadonlySet<number> {
  const numbers = [
    read.fact(metadataText, 'envoyStatusPort'),
    read.fact(metadataText, 'envoyPrometheusPort'),
    read.fact(rawMetadata, 'ENVOY_SECURE_METRICS_PORT'),
    read.fact(rawMetadata, 'ENVOY_SECURE_MERGED_METRICS_PORT'),
  ].map(Number);
  return new Set(numbers.filter((number) => number > 0));
}

function redirectPorts(read: MeshRead): ReadonlySet<number> {
  const { proxyListenPort = 0, proxyInboundListenPort = 0 } = meshConfig(read);
  return new Set([proxyListenPort, proxyInboundListenPort]);
}
