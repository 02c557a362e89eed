import type { MeshRead } from '@kedge/config';
import type { Service, ServicePort } from '@kedge/model';
import type { MergedDestinationRule } from '@kedge/pushcontext';
import type { OutboundClusterName } from '../clusters/cluster-name.ts';
import { rulePolicy } from '../clusters/traffic-policy.ts';
import { demandedTlsMode } from './endpoint-tls.ts';
import { isMutualTls } from './lb-endpoint.ts';
import { type LocalityGroup, withEndpoints } from './locality-group.ts';
import { chosenEndpoints } from './service-endpoints.ts';
import { throughGateways } from './split-horizon.ts';

export interface ClusterEndpointsInput {
  readonly target: OutboundClusterName;
  readonly service: Service;
  readonly port: ServicePort;
  readonly rule: MergedDestinationRule | undefined;
}

/** The endpoints of a cluster as the asking proxy reaches them, not yet ranked by locality. */
export function clusterEndpoints(
  read: MeshRead,
  { target, service, port, rule }: ClusterEndpointsInput,
  resolvesNames: boolean,
): readonly LocalityGroup[] {
  const subset = target.subset === '' ? undefined : rule?.subsets.find(({ name }) => name === target.subset);
  const groups = throughGateways(
    read,
    chosenEndpoints(read, {
      service,
      port,
      labels: subset?.labels ?? {},
      policy: rulePolicy(rule, port.port, target.subset),
      tlsMode: demandedTlsMode(rule, port.port, target.subset),
      resolvesNames,
    }),
    resolvesNames,
  );
  if (target.form !== 'sni') return groups;
  // A gateway cannot see whether what it passes on is mutual TLS, so it passes it on to those only who expect that.
  return groups.map((group) =>
    withEndpoints(
      group,
      group.endpoints.filter(({ message }) => isMutualTls(message)),
    ),
  );
}
