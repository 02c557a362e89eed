import type {
  LoadBalancerSettings,
  LocalityLoadBalancerSetting,
  MeshConfig,
  Service,
  ZoneAwareLoadBalancerSetting,
} from '@kedge/model';

/** How the place of clients and endpoints matters to load balancing. */
export type LocalitySettings =
  | { readonly kind: 'off' }
  | {
      readonly kind: 'locality';
      readonly setting: LocalityLoadBalancerSetting;
      /** Whether traffic fails over also where no outlier detection tells Envoy of failures. */
      readonly always: boolean;
    }
  | { readonly kind: 'zone-aware'; readonly setting: ZoneAwareLoadBalancerSetting };

const OFF: LocalitySettings = { kind: 'off' };

/** What a service's wish for near endpoints means, as labels that are compared one after the other. */
const DISTRIBUTIONS = {
  'prefer-same-zone': ['topology.istio.io/network', 'topology.kubernetes.io/region', 'topology.kubernetes.io/zone'],
  'prefer-same-node': [
    'topology.istio.io/network',
    'topology.kubernetes.io/region',
    'topology.kubernetes.io/zone',
    'topology.istio.io/subzone',
    'kubernetes.io/hostname',
  ],
} as const;

/** The rule's settings, else what the service asks for, else the mesh's. */
export function localitySettings(
  mesh: MeshConfig,
  rule: LoadBalancerSettings | undefined,
  service: Service,
): LocalitySettings {
  if (rule?.zoneAwareLbSetting) return { kind: 'zone-aware', setting: rule.zoneAwareLbSetting };
  if (rule?.localityLbSetting) return ofLocality(rule.localityLbSetting);
  const labels = DISTRIBUTIONS[service.trafficDistribution as keyof typeof DISTRIBUTIONS];
  if (labels) {
    return { kind: 'locality', setting: { distribute: [], failover: [], failoverPriority: labels }, always: true };
  }
  if (mesh.zoneAwareLbSetting) return { kind: 'zone-aware', setting: mesh.zoneAwareLbSetting };
  return mesh.localityLbSetting ? ofLocality(mesh.localityLbSetting) : OFF;
}

function ofLocality(setting: LocalityLoadBalancerSetting): LocalitySettings {
  return setting.enabled === false ? OFF : { kind: 'locality', setting, always: false };
}
