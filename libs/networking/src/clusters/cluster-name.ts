import type { Hostname } from '@kedge/model';

/* Names of clusters are an interface: routes, statistics, tools and EnvoyFilters refer to them. */

export const BLACK_HOLE_CLUSTER = 'BlackHoleCluster';
export const PASSTHROUGH_CLUSTER = 'PassthroughCluster';
export const INBOUND_PASSTHROUGH_CLUSTER = 'InboundPassthroughCluster';
export const DYNAMIC_DNS_CLUSTER = 'AllowAnyDynamicDNSCluster';
/** Served by the agent, and by a socket that operators mount for certificates from elsewhere. */
export const SDS_CLUSTER = 'sds-grpc';
export const EXTERNAL_SDS_CLUSTER = 'sds-external';
export const FILE_SDS_CLUSTER = 'sds-files-grpc';

/** A port of a host, or of one of its subsets, as clients address it. */
export interface Target {
  readonly host: Hostname;
  readonly port: number;
  /** Empty for the host as a whole. */
  readonly subset: string;
}

export function outboundClusterName(host: Hostname, port: number, subset = ''): string {
  return `outbound|${port}|${subset}|${host}`;
}

/**
 * The same target in a form that is a valid DNS name: the SNI of mutual TLS within the mesh, and the name of the clusters by
 * which a gateway between networks passes such connections on.
 */
export function sniClusterName(host: Hostname, port: number, subset = ''): string {
  return `outbound_.${port}_.${subset}_.${host}`;
}

export function inboundClusterName(port: number): string {
  return `inbound|${port}||`;
}

export interface OutboundClusterName extends Target {
  /** Which of the two forms it is written in. */
  readonly form: 'outbound' | 'sni';
}

const OUTBOUND_FORMS = {
  outbound: /^outbound\|(\d+)\|([^|]*)\|([^|]+)$/,
  sni: /^outbound_\.(\d+)_\.(.*?)_\.(.+)$/,
} as const;

/** Undefined for names that are not of outbound clusters. */
export function parseOutboundClusterName(name: string): OutboundClusterName | undefined {
  const form = name.startsWith('outbound_.') ? 'sni' : 'outbound';
  const [, port, subset = '', host = ''] = OUTBOUND_FORMS[form].exec(name) ?? [];
  return port === undefined ? undefined : { form, port: Number(port), subset, host };
}

/** The port in the name of an inbound cluster; undefined for other names. */
export function parseInboundClusterName(name: string): number | undefined {
  const [, port] = /^inbound\|(\d+)\|\|$/.exec(name) ?? [];
  return port === undefined ? undefined : Number(port);
}
