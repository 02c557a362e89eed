import { canonicalQuantity } from '@kedge/inject';
import { isJsonObject, type Json, type JsonObject } from '@kedge/model';
import type { ComponentInstance } from './components.ts';
import { parseScalar } from './set-flag.ts';
import { child, overlay, treeOf, valueAt } from './tree.ts';

/** The values of a component's chart, made of those that all charts share and of the component's settings. */
export function componentValues(shared: JsonObject, instance: ComponentInstance): JsonObject {
  const { valuesRoot, isFlat } = instance.component;
  const own = Object.fromEntries(
    Object.entries(ownValues(instance)).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
  const labelled = replaceLabels(shared, instance);
  const merged = Object.keys(own).length === 0 ? labelled : overlay(labelled, treeOf(valuesRoot, own));
  return isFlat === true ? flatten(merged, valuesRoot) : merged;
}

type OwnValues = Readonly<Record<string, Json | undefined>>;

function ownValues(instance: ComponentInstance): OwnValues {
  const { hub, tag, component } = instance;
  return {
    ...(component.isGateway && gatewayValues(instance)),
    ...(component.workload?.kind === 'Deployment' && replicaValues(instance)),
    ...resourceValues(instance),
    ...(hub !== '' && { hub: parseScalar(hub) }),
    ...(tag !== undefined && { tag: parseScalar(String(tag)) }),
  };
}

function gatewayValues({ name, k8s }: ComponentInstance): OwnValues {
  const ports = valueAt(k8s, 'service', 'ports');
  if (!Array.isArray(ports) || ports.length === 0) return { name };
  // 0 is how a port of Kubernetes says that the target is the port itself.
  return { name, ports: ports.map((port: Json) => (isJsonObject(port) ? { targetPort: 0, ...port } : port)) };
}

/** Labels replace those of the values altogether; they are not merged with them. */
function replaceLabels(shared: JsonObject, { component, labels }: ComponentInstance): JsonObject {
  if (!component.isGateway) return shared;
  const { labels: _, ...others } = child(shared, ...component.valuesRoot);
  const bare = component.valuesRoot.reduceRight<Json>(
    (inner, key, index) => ({ ...child(shared, ...component.valuesRoot.slice(0, index)), [key]: inner }),
    { ...others, labels },
  );
  return bare as JsonObject;
}

/** Charts make an object or don't by these, so they have to know. */
function replicaValues({ k8s }: ComponentInstance): OwnValues {
  const { minReplicas, maxReplicas } = child(k8s, 'hpaSpec');
  const { replicaCount } = k8s;
  const positive = (value: Json | undefined) => (typeof value === 'number' && value > 0 ? value : undefined);
  return {
    autoscaleMin: minReplicas ?? undefined,
    autoscaleMax: positive(maxReplicas),
    replicaCount: positive(replicaCount),
  };
}

function resourceValues({ k8s }: ComponentInstance): OwnValues {
  const cpuOf = (kind: string): JsonObject | undefined => {
    const cpu = valueAt(k8s, 'resources', kind, 'cpu');
    const quantity = cpu === undefined || cpu === null ? '0' : canonicalQuantity(String(cpu));
    return quantity === '0' ? undefined : { [kind]: { cpu: quantity } };
  };
  const resources = { ...cpuOf('limits'), ...cpuOf('requests') };
  return Object.keys(resources).length === 0 ? {} : { resources };
}

function flatten(values: JsonObject, root: readonly string[]): JsonObject {
  const single = Object.entries(values).filter(([, value]) => !isJsonObject(value));
  return { global: child(values, 'global'), ...Object.fromEntries(single), ...child(values, ...root) };
}
