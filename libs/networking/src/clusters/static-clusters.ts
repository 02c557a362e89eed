import type { MeshRead } from '@kedge/config';
import type { BindConfig, Cluster } from '@kedge/envoy-api';
import { formatDuration } from '@kedge/model';
import { features, meshConfig } from '@kedge/pushcontext';
import { envoyAddress } from '../address.ts';
import { metadataExchange } from '../filters/metadata-exchange.ts';
import { inboundSources, ipFamilies, supportsV4, supportsV6 } from '../ip-families.ts';
import {
  BLACK_HOLE_CLUSTER,
  EXTERNAL_SDS_CLUSTER,
  INBOUND_PASSTHROUGH_CLUSTER,
  PASSTHROUGH_CLUSTER,
} from './cluster-name.ts';
import { connectionPool } from './connection-pool.ts';
import { passthroughHttpOptions, withHttpOptions } from './http-protocol-options.ts';
import { delimited } from './stat-name.ts';

function connectTimeout(read: MeshRead): Cluster {
  const timeout = meshConfig(read).connectTimeout;
  return timeout === undefined ? {} : { connectTimeout: formatDuration(timeout) };
}

/** Has no endpoints: what is sent here fails. */
export function blackHoleCluster(read: MeshRead): Cluster {
  return {
    name: BLACK_HOLE_CLUSTER,
    altStatName: delimited(BLACK_HOLE_CLUSTER),
    type: 'STATIC',
    ...connectTimeout(read),
  };
}

function toOriginalDestination(read: MeshRead): Cluster {
  return {
    altStatName: delimited(PASSTHROUGH_CLUSTER),
    type: 'ORIGINAL_DST',
    lbPolicy: 'CLUSTER_PROVIDED',
    ...connectionPool(read, meshConfig(read).defaultTrafficPolicy?.connectionPool ?? {}),
    ...passthroughHttpOptions(read),
  };
}

/** For outbound traffic to hosts that the mesh doesn't know. */
export function passthroughCluster(read: MeshRead): Cluster {
  const exchange = metadataExchange(read, 'upstream');
  return {
    name: PASSTHROUGH_CLUSTER,
    ...toOriginalDestination(read),
    ...(exchange ? { filters: [exchange] } : {}),
  };
}

/** For inbound traffic to ports that no service names. */
export function inboundPassthroughCluster(read: MeshRead): Cluster {
  const families = read.fact(ipFamilies);
  const [first = '', ...others] = inboundSources(families);
  const all = supportsV4(families) && supportsV6(families) ? others : [];
  return {
    name: INBOUND_PASSTHROUGH_CLUSTER,
    ...toOriginalDestination(read),
    upstreamBindConfig: bindConfig(first, all),
  };
}

/** Binds connections to the workload to addresses that the redirection rules let pass. */
export function inboundBindConfig(read: MeshRead): BindConfig {
  const [first = '', ...others] = inboundSources(read.fact(ipFamilies));
  return bindConfig(first, features(read).dualStack ? others : []);
}

function bindConfig(first: string, others: readonly string[]): BindConfig {
  return {
    sourceAddress: { address: first, portValue: 0 },
    ...(others.length > 0
      ? { extraSourceAddresses: others.map((address) => ({ address: { address, portValue: 0 } })) }
      : {}),
  };
}

const CREDENTIAL_SOCKET = './var/run/secrets/credential-uds/socket';

/** The server of credentials that the operator runs beside the proxy. */
export function externalSdsCluster(read: MeshRead): Cluster {
  return {
    name: EXTERNAL_SDS_CLUSTER,
    altStatName: delimited(EXTERNAL_SDS_CLUSTER),
    type: 'STATIC',
    ...connectTimeout(read),
    loadAssignment: {
      clusterName: EXTERNAL_SDS_CLUSTER,
      endpoints: [{ lbEndpoints: [{ endpoint: { address: envoyAddress(`unix://${CREDENTIAL_SOCKET}`, 0) } }] }],
    },
    ...withHttpOptions({ explicitHttpConfig: { http2ProtocolOptions: {} } }),
  };
}
