import { isJsonObject, type Json, type JsonObject } from '@kedge/model';
import { child, textAt, valueAt } from '../tree.ts';

const DIRECTIONS = [
  ['ingressGateways', 'istio-ingressgateway'],
  ['egressGateways', 'istio-egressgateway'],
] as const;

const objectsIn = (list: Json | undefined): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isJsonObject) : [];

/** Settings that cannot work: ports below 1024 of gateways that don't run as root. */
export function featureErrors(spec: JsonObject): readonly string[] {
  const gatewayErrors = DIRECTIONS.flatMap(([key, values]) => {
    if (valueAt(spec, 'values', 'gateways', values, 'runAsRoot') === true) return [];
    return objectsIn(child(spec, 'components')[key]).flatMap((gateway) => portErrors(gateway, values));
  });
  const legacy = objectsIn(valueAt(spec, 'values', 'gateways', 'istio-ingressgateway', 'ingressPorts'));
  const isRoot = valueAt(spec, 'values', 'gateways', 'istio-ingressgateway', 'runAsRoot') === true;
  return [...gatewayErrors, ...(isRoot ? [] : legacy.flatMap(legacyPortErrors))];
}

/** Without a target the port is the target. */
const needsRoot = (port: number, target: number): boolean => !(target === 0 && port > 1024) && target < 1024;

const remedy = (target: number, values: string): string =>
  `targetPort is set to ${target}, which requires root. ` +
  `Set targetPort to be greater than 1024 or configure values.gateways.${values}.runAsRoot=true`;

function portErrors(gateway: JsonObject, values: string): readonly string[] {
  return objectsIn(valueAt(gateway, 'k8s', 'service', 'ports')).flatMap((entry) => {
    const [port, target] = [Number(entry.port ?? 0), entry.targetPort ?? 0];
    // A target may be the name of a port.
    if (typeof target !== 'number' || !needsRoot(port, target)) return [];
    const name = textAt(entry, 'name');
    return [`port ${name}/${port} in gateway ${textAt(gateway, 'name')} invalid: ${remedy(target, values)}`];
  });
}

function legacyPortErrors({ port, targetPort = 0 }: JsonObject): readonly string[] {
  if (typeof port !== 'number' || typeof targetPort !== 'number' || !needsRoot(port, targetPort)) return [];
  return [`port ${port} is invalid: ${remedy(targetPort, 'istio-ingressgateway')}`];
}

/** Numbers of replicas that an autoscaler will not keep to. */
export function featureWarnings(spec: JsonObject): readonly string[] {
  const isScaled = (...path: readonly string[]) => valueAt(spec, 'values', ...path, 'autoscaleEnabled') === true;
  const warning = (component: string, values: string): string =>
    `components.${component}.k8s.replicaCount should not be set when values.${values}.autoscaleEnabled is true`;
  const pilot = Number(valueAt(spec, 'components', 'pilot', 'k8s', 'replicaCount') ?? 0);
  const gateways = DIRECTIONS.filter(([, values]) => isScaled('gateways', values)).flatMap(([key, values]) =>
    objectsIn(child(spec, 'components')[key])
      .filter((gateway) => Number(valueAt(gateway, 'k8s', 'replicaCount') ?? 0) !== 0)
      .map((gateway) => warning(`${key}[name=${textAt(gateway, 'name')}]`, `gateways.${values}`)),
  );
  return [...(isScaled('pilot') && pilot > 1 ? [warning('pilot', 'pilot')] : []), ...gateways];
}
