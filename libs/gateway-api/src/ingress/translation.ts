import { localKubernetes, type MeshRead, objectKey } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { ConfigOf, KubernetesOf } from '@kedge/model';
import { alike, domainSuffix, features, meshConfig, sameMembers, type Translation } from '@kedge/pushcontext';
import { isDiscoverable } from '@kedge/registry';
import { ingressGateway } from './gateway.ts';
import { handlesIngress } from './ingress-class.ts';
import { type HostRule, ingressVirtualService, rulesByHost } from './virtual-service.ts';

const { sources } = localKubernetes;

/** The Ingresses that are for this mesh, sorted by key. */
const handledIngresses = query(
  'handledIngresses',
  (read: MeshRead): readonly KubernetesOf<'Ingress'>[] =>
    read.all(sources.Ingress).filter((ingress) => {
      if (!read(isDiscoverable, ingress.namespace)) return false;
      const { ingressClassName } = ingress.spec;
      const named = ingressClassName === undefined ? undefined : read.get(sources.IngressClass, objectKey('', ingressClassName)); // prettier-ignore
      return handlesIngress(meshConfig(read), ingress, named);
    }),
  sameMembers,
);

const gatewayOf = query(
  'ingressGateway',
  (read: MeshRead, key: string): ConfigOf<'Gateway'> | undefined => {
    const ingress = read.get(sources.Ingress, key);
    return ingress && ingressGateway(ingress, meshConfig(read), features(read).ingressNamespace);
  },
  alike,
);

const gateways = query(
  'ingressGateways',
  (read: MeshRead) =>
    read(handledIngresses)
      .map(({ namespace, name }) => read(gatewayOf, objectKey(namespace, name)))
      .filter((gateway) => gateway !== undefined),
  sameMembers,
);

const hostRules = query(
  'ingressRulesByHost',
  (read: MeshRead): ReadonlyMap<string, readonly HostRule[]> => rulesByHost(read(handledIngresses)),
  alike,
);

const rulesOfHost = query(
  'ingressRulesOfHost',
  (read: MeshRead, host: string): readonly HostRule[] => read(hostRules).get(host) ?? [],
  alike,
);

const servicePort = query('ingressServicePort', (read: MeshRead, service: string, portName: string) => {
  const ports = read.get(sources.Service, service)?.spec.ports ?? [];
  return ports.find(({ name = '' }) => name === portName)?.port;
});

const virtualServiceOf = query(
  'ingressVirtualService',
  (read: MeshRead, host: string): ConfigOf<'VirtualService'> | undefined =>
    ingressVirtualService(host, read(rulesOfHost, host), {
      domainSuffix: domainSuffix(read),
      gatewayNamespace: features(read).ingressNamespace,
      portNumber: (namespace, service, portName) => read(servicePort, objectKey(namespace, service), portName),
    }),
  alike,
);

const virtualServices = query(
  'ingressVirtualServices',
  (read: MeshRead) =>
    [...read(hostRules).keys()].map((host) => read(virtualServiceOf, host)).filter((config) => config !== undefined),
  sameMembers,
);

/** Ingresses of the control plane's own cluster, as Gateways and VirtualServices. */
export const ingressTranslation: Translation = { gateways, virtualServices };
