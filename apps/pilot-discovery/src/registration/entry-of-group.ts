import { type ConfigOf, type Labels, type Proxy, proxyLocality } from '@kedge/model';

type Entry = ConfigOf<'WorkloadEntry'>;
type Group = ConfigOf<'WorkloadGroup'>;

/** The longest name of an object in Kubernetes. */
const LONGEST_NAME = 253;

const GROUP = 'istio.io/autoRegistrationGroup';
const HEALTH_CHECKS = 'proxy.istio.io/health-checks-enabled';
const TUNNEL = 'networking.istio.io/tunnel';
const LOCALITY = 'istio-locality';

/** The group that a registered entry was made from; empty where it wasn't. */
export const groupOf = ({ annotations }: Entry): string => annotations[GROUP] ?? '';

/** What the entry of a workload is called: the end counts where that is too long. */
export function entryName({ metadata, ipAddresses: [address = ''] }: Proxy): string {
  const { autoRegisterGroup, network } = metadata;
  const parts = [autoRegisterGroup, address.replaceAll(':', '-'), ...(network ? [network] : [])];
  return parts.join('-').slice(-LONGEST_NAME);
}

/**
 * The entry of a workload that registers itself. Of labels those of its node count before those of the group, and these before
 * those of the group's template.
 */
export function entryOfGroup({ name: group, spec }: Group, proxy: Proxy): Entry {
  const { template = { labels: {}, ports: {} }, metadata = { labels: {}, annotations: {} } } = spec;
  const { network, labels: ofNode, proxyConfig } = proxy.metadata;
  const locality = proxyLocality(proxy);
  const labels: Labels = {
    ...(proxy.metadata.enableHbone ? { [TUNNEL]: 'http' } : {}),
    ...template.labels,
    ...metadata.labels,
    ...without(ofNode, LOCALITY),
  };
  return {
    kind: 'WorkloadEntry',
    group: 'networking.istio.io',
    version: 'v1',
    namespace: proxy.configNamespace,
    name: entryName(proxy),
    labels,
    annotations: {
      [GROUP]: group,
      ...metadata.annotations,
      ...(proxyConfig['readinessProbe'] ? { [HEALTH_CHECKS]: 'true' } : {}),
    },
    creationTimestamp: Date.now(),
    spec: {
      ...template,
      address: proxy.ipAddresses[0] ?? '',
      labels,
      ...(network ? { network } : {}),
      ...(locality ? { locality } : {}),
    },
  };
}

/** An entry whose workload says how it is. */
export function withHealth(entry: Entry, problem: string | undefined, now: Date): Entry {
  const time = now.toISOString();
  const condition = {
    type: 'Healthy',
    status: problem === undefined ? 'True' : 'False',
    lastProbeTime: time,
    lastTransitionTime: time,
    ...(problem === undefined ? {} : { message: problem }),
  };
  return { ...entry, status: { ...entry.status, conditions: [condition] } };
}

const without = (labels: Labels, name: string): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => key !== name));
