import type { MeshRead } from '@kedge/config';
import { type ObjectRef, portNumbered } from '@kedge/model';
import { destinationRule, meshConfig } from '@kedge/pushcontext';
import { encodedQuery } from '../encoded-query.ts';
import { parseOutboundClusterName } from '../clusters/cluster-name.ts';
import { serviceRef } from '../clusters/outbound-input.ts';
import { outboundService } from '../clusters/outbound-service.ts';
import { rulePolicy } from '../clusters/traffic-policy.ts';
import { type Generated, guardedResource } from '../guard.ts';
import { clusterEndpoints } from './cluster-endpoints.ts';
import { type LocalityGroup, loadAssignmentOf } from './locality-group.ts';
import { applyLocality } from './locality-lb.ts';
import { localitySettings } from './locality-settings.ts';
import { ownEndpoints, SELF_DISCOVERY_CLUSTER } from './self-discovery.ts';

/**
 * The endpoints of a cluster. Clusters that are gone, or get their endpoints in another way now, have an empty one: Envoy may
 * still ask for it, and waits for an answer.
 */
export const generatedLoadAssignment = encodedQuery(
  'generatedLoadAssignment',
  (read: MeshRead, name: string): Generated | undefined => {
    if (name === SELF_DISCOVERY_CLUSTER) return encoded(name, ownEndpoints(read));
    const target = parseOutboundClusterName(name);
    // A cluster that a patch made.
    if (!target) return encoded(name, []);
    const service = read.by(outboundService, target.host, target.port);
    const port = service && portNumbered(service, target.port);
    if (!service || !port) return encoded(name, []);
    const from = [serviceRef(service)];
    if (service.resolution === 'dns' || service.resolution === 'dns-round-robin') return encoded(name, [], from);
    const rule = read.by(destinationRule, target.host, service.namespace);
    const groups = clusterEndpoints(read, { target, service, port, rule }, false);
    const policy = rulePolicy(rule, port.port, target.subset);
    const settings = localitySettings(meshConfig(read), policy?.loadBalancer, service);
    return encoded(name, applyLocality(read, groups, settings, policy?.outlierDetection !== undefined), from);
  },
);

function encoded(name: string, groups: readonly LocalityGroup[], from: readonly ObjectRef[] = []): Generated {
  const message = loadAssignmentOf(name, groups);
  return guardedResource('envoy.config.endpoint.v3.ClusterLoadAssignment', name, message, from);
}
