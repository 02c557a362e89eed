import type { MeshRead } from '@kedge/config';
import type { Cluster } from '@kedge/envoy-api';
import type { ConnectionPoolSettings, Hostname, ObjectRef, Service } from '@kedge/model';
import {
  features,
  inboundDestinationRule,
  type MergedDestinationRule,
  meshConfig,
  scopeServicesOfHost,
  sidecarOf,
} from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { envoyAddress } from '../address.ts';
import { type Generated, guardedResource } from '../guard.ts';
import { istioMetadata, ruleMetadata, serviceMetadata } from './cluster-metadata.ts';
import { inboundClusterName } from './cluster-name.ts';
import { connectionPool } from './connection-pool.ts';
import { httpProtocolOptions, upgradedVersion, versionByProtocol } from './http-protocol-options.ts';
import { type InboundPlan, inboundPlans } from './inbound-plan.ts';
import { serviceRef } from './outbound-input.ts';
import { delimited, fillStatName } from './stat-name.ts';
import { portOverride } from './port-override.ts';
import { inboundBindConfig } from './static-clusters.ts';
import { portPolicy, withMeshDefaults } from './traffic-policy.ts';

/** One inbound cluster, by the port in its name. */
export const inboundCluster = encodedQuery('inboundCluster', (read: MeshRead, port: number): Generated | undefined => {
  const plan = read(inboundPlans).find((one) => one.port === port);
  if (!plan) return undefined;
  const { cluster, from } = inbound(read, plan);
  return guardedResource('envoy.config.cluster.v3.Cluster', cluster.name ?? '', cluster, from);
});

/** The longest time that Envoy takes: destinations that went quiet are never forgotten, for the workload is always there. */
const NEVER = '9223372035s';

function inbound(
  read: MeshRead,
  plan: InboundPlan,
): { readonly cluster: Cluster; readonly from: readonly ObjectRef[] } {
  const { service, port } = plan.targets[0];
  const mesh = meshConfig(read);
  const name = inboundClusterName(plan.port);
  const rule = ownRule(read, service.hostname);
  const policy = withMeshDefaults(portPolicy(rule?.trafficPolicy, port.port), mesh);
  const pool = sidecarPool(read, plan.port) ?? policy.connectionPool ?? {};
  const version = upgradedVersion(versionByProtocol(read, port.protocol), port.protocol, withoutUpgrade(pool), {
    ...mesh,
    h2UpgradePolicy: 'DO_NOT_UPGRADE',
  });
  const named = features(read).telemetryLabel && !service.meshExternal ? sameServicePort(plan) : [];
  const cluster: Cluster = {
    name,
    altStatName: delimited(
      mesh.inboundClusterStatName
        ? fillStatName(mesh.inboundClusterStatName, { service, port, targetPort: plan.port })
        : name,
    ),
    ...destination(name, plan),
    ...connectionPool(read, pool, policy.retryBudget),
    ...httpProtocolOptions(read, { version, pool }),
    commonLbConfig: {},
    ...(isLoopback(plan.address) ? {} : { upstreamBindConfig: inboundBindConfig(read) }),
    ...(named.length > 0 ? istioMetadata(serviceMetadata(named), rule?.trafficPolicy ? ruleMetadata(rule) : {}) : {}),
  };
  return { cluster, from: [...(rule?.from ?? []), serviceRef(service)] };
}

/** A rule for a host that the Sidecar leaves out of the proxy's scope doesn't count on the server's side either. */
function ownRule(read: MeshRead, host: Hostname): MergedDestinationRule | undefined {
  const [scoped] = read(scopeServicesOfHost, host);
  return scoped && read(inboundDestinationRule, host, scoped.namespace);
}

/** Servers take connections of the version that clients chose; only clients upgrade. */
function withoutUpgrade(pool: ConnectionPoolSettings): ConnectionPoolSettings {
  return pool.http ? { ...pool, http: { ...pool.http, h2UpgradePolicy: 'DO_NOT_UPGRADE' } } : pool;
}

function destination(name: string, { address, addressPort, targets }: InboundPlan): Cluster {
  if (address === '') {
    const [{ service, port }] = targets;
    return {
      type: 'ORIGINAL_DST',
      lbPolicy: 'CLUSTER_PROVIDED',
      cleanupInterval: NEVER,
      ...portOverride(service, port),
    };
  }
  const endpoint = { address: envoyAddress(address, addressPort) };
  return { type: 'STATIC', loadAssignment: { clusterName: name, endpoints: [{ lbEndpoints: [{ endpoint }] }] } };
}

const isLoopback = (address: string): boolean => address === '127.0.0.1' || address === '::1';

/** The services that have the same port in front of the workload's; each host once. */
function sameServicePort({ targets }: InboundPlan): readonly Service[] {
  const same = targets.filter(({ port }) => port.port === targets[0].port.port);
  return [...new Map(same.toReversed().map(({ service }) => [service.hostname, service])).values()].toReversed();
}

/** What the Sidecar says of inbound connections: for the port, else for all. */
function sidecarPool(read: MeshRead, port: number): ConnectionPoolSettings | undefined {
  const spec = read(sidecarOf)?.spec;
  const own = spec?.ingress.find((listener) => listener.port?.number === port && listener.connectionPool);
  return own?.connectionPool ?? spec?.inboundConnectionPool;
}
