import type { MeshRead } from '@kedge/config';
import type { Cluster } from '@kedge/envoy-api';
import type { Diagnostic } from '@kedge/model';
import { features, meshConfig } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { loadAssignmentOf } from '../endpoints/locality-group.ts';
import { applyLocality } from '../endpoints/locality-lb.ts';
import { type LocalitySettings, localitySettings } from '../endpoints/locality-settings.ts';
import { clusterEndpoints } from '../endpoints/cluster-endpoints.ts';
import { metadataExchange } from '../filters/metadata-exchange.ts';
import { type Generated, guardedResource } from '../guard.ts';
import { hashViolations } from '../routes/hash-policy.ts';
import { TYPE_URLS } from '../type-urls.ts';
import { alpnMetadata, istioMetadata, ruleMetadata, serviceMetadata } from './cluster-metadata.ts';
import { commonLbConfig } from './common-lb-config.ts';
import { connectionPool } from './connection-pool.ts';
import { type DiscoveryType, discoveryType, dnsSettings, edsSettings, resolvesNames } from './discovery-type.ts';
import { dynamicDnsCluster, isDynamicDns } from './dynamic-dns-cluster.ts';
import { httpProtocolOptions, upgradedVersion, versionByProtocol } from './http-protocol-options.ts';
import { isPassthrough, loadBalancer } from './load-balancer.ts';
import { origins, type OutboundInput, outboundInput } from './outbound-input.ts';
import { outlierDetection } from './outlier-detection.ts';
import { portOverride } from './port-override.ts';
import { delimited, outboundStatName } from './stat-name.ts';
import type { PortPolicy } from './traffic-policy.ts';
import { type TransportProblem, upstreamTransport } from './upstream-transport.ts';

/**
 * The cluster of a port of a host, or of one of its subsets; undefined where the proxy has none by that name. Filed by the
 * service and the rule, so that all who come to the same ones share it.
 */
export const outboundCluster = encodedQuery(
  'outboundCluster',
  (read: MeshRead, name: string): Generated | undefined => {
    const input = outboundInput(read, name);
    if (!input) return undefined;
    const cluster = isDynamicDns(input.service) ? dynamicDnsCluster(read, input) : outbound(read, input);
    if (!cluster) return undefined;
    if ('problem' in cluster) return { diagnostics: [unusableTls(input, cluster.problem)] };
    const requires = cluster.type === 'EDS' ? [{ typeUrl: TYPE_URLS.EDS, names: [name] }] : [];
    const made = guardedResource('envoy.config.cluster.v3.Cluster', name, cluster, origins(input), requires);
    return { ...made, diagnostics: [...unusableHash(input), ...made.diagnostics] };
  },
);

function outbound(read: MeshRead, input: OutboundInput): Cluster | TransportProblem | undefined {
  const { name, target, service, port, policy } = input;
  const mesh = meshConfig(read);
  const switches = features(read);
  const pool = policy.connectionPool ?? {};
  const found = discovery(read, input);
  if (!found) return undefined;
  const version = upgradedVersion(versionByProtocol(read, port.protocol), port.protocol, pool, mesh);
  const transport = upstreamTransport(read, { ...input, type: found.type, http2: version === 'http2' });
  if ('problem' in transport) return transport;
  const exchange = metadataExchange(read, 'upstream');
  return {
    name,
    altStatName: delimited(
      mesh.outboundClusterStatName
        ? outboundStatName(mesh.outboundClusterStatName, { service, port, subset: target.subset })
        : name,
    ),
    ...found,
    ...connectionPool(read, pool, policy.retryBudget),
    ...httpProtocolOptions(read, { version, pool, outlierDetection: policy.outlierDetection, ...transport.http }),
    ...(policy.outlierDetection ? { outlierDetection: outlierDetection(policy.outlierDetection) } : {}),
    ...(found.type === 'ORIGINAL_DST'
      ? { lbPolicy: 'CLUSTER_PROVIDED' }
      : loadBalancer(policy.loadBalancer, port.protocol, switches)),
    ...commonLbConfig(read, input, settingsFor(read, input)),
    ...transport.sockets,
    ...(exchange ? { filters: [exchange] } : {}),
    ...outboundMetadata(read, input),
  };
}

function settingsFor(read: MeshRead, { policy, service }: OutboundInput): LocalitySettings {
  return localitySettings(meshConfig(read), policy.loadBalancer, service);
}

/** Where the cluster gets its endpoints from; undefined where it would have to name some and there are none. */
function discovery(
  read: MeshRead,
  input: OutboundInput,
): (Omit<Cluster, 'type'> & { readonly type: DiscoveryType }) | undefined {
  const { name, service, port, subset, basePolicy, policy } = input;
  const isSharded = features(read).redisFilter && port.protocol === 'REDIS';
  const goesDirectly = ({ loadBalancer: settings }: PortPolicy): boolean => !isSharded && isPassthrough(settings);
  const byService = discoveryType(read, service);
  const initial =
    subset && (goesDirectly(basePolicy) || isPassthrough(subset.trafficPolicy?.loadBalancer))
      ? 'ORIGINAL_DST'
      : byService;
  const type = goesDirectly(policy) ? 'ORIGINAL_DST' : initial;
  if (resolvesNames(initial)) {
    const groups = clusterEndpoints(read, input, true);
    if (groups.length === 0) return undefined;
    if (type === 'ORIGINAL_DST') return { ...dnsSettings(read, service), type };
    const ranked = applyLocality(read, groups, settingsFor(read, input), policy.outlierDetection !== undefined);
    return { ...dnsSettings(read, service), type, loadAssignment: loadAssignmentOf(name, ranked) };
  }
  if (type === 'EDS') return { ...edsSettings(name), type };
  return { ...(initial === 'ORIGINAL_DST' ? portOverride(service, port) : {}), type };
}

function outboundMetadata(read: MeshRead, { service, rule, subset, policy }: OutboundInput): Cluster {
  return istioMetadata(
    features(read).telemetryLabel ? serviceMetadata([service]) : {},
    service.meshExternal && !subset ? { external: true } : {},
    rule ? { ...ruleMetadata(rule), ...alpnMetadata(policy.tls) } : {},
    subset ? { subset: subset.name } : {},
  );
}

const unusableTls = (input: OutboundInput, problem: string): Diagnostic =>
  policyDiagnostic(input, 'unusable-client-tls', 'tls', `the Cluster "${input.name}" is left out: ${problem}`);

function unusableHash(input: OutboundInput): readonly Diagnostic[] {
  const { consistentHash } = input.policy.loadBalancer ?? {};
  return (consistentHash ? hashViolations(consistentHash) : []).map(({ path, message }) =>
    policyDiagnostic(
      input,
      'unusable-hash',
      'loadBalancer.consistentHash',
      `requests are not hashed, for Envoy would refuse it: ${path}: ${message}`,
    ),
  );
}

function policyDiagnostic({ rule, subset }: OutboundInput, code: string, field: string, message: string): Diagnostic {
  const { kind, namespace, name } = rule?.from[0] ?? { kind: 'DestinationRule', namespace: '', name: '' };
  const policy = subset ? `spec.subsets[${subset.name}].trafficPolicy` : 'spec.trafficPolicy';
  return { severity: 'error', code, kind, namespace, name, field: `${policy}.${field}`, message };
}
