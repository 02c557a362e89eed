import { isJsonObject, type Json, type JsonObject } from '@kedge/model';
import type { Operator } from './merge-inputs.ts';
import { child, textAt, valueAt } from './tree.ts';

/** A part of an installation: what a chart is rendered for. */
export interface Component {
  /** As users know it. */
  readonly name: string;
  /** Its key below `spec.components`. */
  readonly key: string;
  /** Folder of the chart. */
  readonly chart: string;
  /** Where its own values are. */
  readonly valuesRoot: readonly string[];
  /** Whether it is there when nothing is said. */
  readonly isDefault: boolean;
  /** Whether there may be several, each with a name. */
  readonly isGateway: boolean;
  /** The workload that settings of `k8s` are about, and its container. */
  readonly workload?: { readonly kind: 'Deployment' | 'DaemonSet'; readonly name: string; readonly container: string };
  /** Whether the chart takes its own values at the root. */
  readonly isFlat?: boolean;
}

const gateway = (key: string, name: string, direction: string, isDefault: boolean): Component => ({
  key,
  name,
  isDefault,
  isGateway: true,
  chart: `gateways/istio-${direction}`,
  valuesRoot: ['gateways', `istio-${direction}gateway`],
  workload: { kind: 'Deployment', name: `istio-${direction}gateway`, container: 'istio-proxy' },
});

/** In the order in which they are rendered. */
export const components: readonly Component[] = [
  {
    key: 'base',
    name: 'Base',
    isDefault: true,
    isGateway: false,
    chart: 'base',
    valuesRoot: ['global'],
  },
  {
    key: 'pilot',
    name: 'Pilot',
    isDefault: true,
    isGateway: false,
    chart: 'istio-control/istio-discovery',
    valuesRoot: ['pilot'],
    workload: { kind: 'Deployment', name: 'istiod', container: 'discovery' },
  },
  gateway('ingressGateways', 'IngressGateways', 'ingress', true),
  gateway('egressGateways', 'EgressGateways', 'egress', false),
  {
    key: 'cni',
    name: 'Cni',
    isDefault: false,
    isGateway: false,
    chart: 'istio-cni',
    valuesRoot: ['cni'],
    workload: { kind: 'DaemonSet', name: 'istio-cni-node', container: 'install-cni' },
  },
  {
    key: 'ztunnel',
    name: 'Ztunnel',
    isDefault: false,
    isGateway: false,
    chart: 'ztunnel',
    valuesRoot: ['ztunnel'],
    workload: { kind: 'DaemonSet', name: 'ztunnel', container: 'istio-proxy' },
    isFlat: true,
  },
];

/** One thing to install of a component. */
export interface ComponentInstance {
  readonly component: Component;
  readonly namespace: string;
  /** Of a gateway; else empty. */
  readonly name: string;
  readonly labels: JsonObject;
  readonly hub: string;
  readonly tag?: Json;
  /** Settings of Kubernetes objects, applied to what the chart gives. */
  readonly k8s: JsonObject;
}

/** What is enabled of a component. */
export function instancesOf(component: Component, { spec, namespace }: Operator): readonly ComponentInstance[] {
  const setting = valueAt(spec, 'components', component.key);
  const isWanted = component.isGateway && valueAt(spec, 'values', ...component.valuesRoot, 'enabled') === true;
  const settings = Array.isArray(setting)
    ? setting.filter(isJsonObject)
    : isJsonObject(setting)
      ? [setting]
      : undefined;
  if (settings === undefined) return component.isDefault || isWanted ? [instanceOf(component, {}, namespace)] : [];
  return settings
    .filter(({ enabled }) => isWanted || enabled !== false)
    .map((item) => instanceOf(component, item, namespace));
}

const instanceOf = (component: Component, item: JsonObject, namespace: string): ComponentInstance => ({
  component,
  namespace: textAt(item, 'namespace') || namespace || 'istio-system',
  name: textAt(item, 'name'),
  labels: child(item, 'label'),
  hub: textAt(item, 'hub'),
  ...(item.tag !== undefined && item.tag !== null && { tag: item.tag }),
  k8s: child(item, 'k8s'),
});
