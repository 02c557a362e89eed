import type { JsonObject } from './merge.ts';
import { isObject, type Json } from './merge.ts';
import type { Container } from './pod.ts';

const PROBES = { readinessProbe: 'readyz', livenessProbe: 'livez', startupProbe: 'startupz' } as const;
const HANDLERS = { postStart: 'poststartz', preStop: 'prestopz' } as const;
/** What the agent does in the kubelet's place; commands run in their container as before. */
const ACTIONS = ['httpGet', 'tcpSocket', 'grpc'] as const;

export interface RewrittenProbes {
  readonly container: Container;
  /** The handlers that the agent answers for, by path. */
  readonly probers: Readonly<Record<string, JsonObject>>;
}

/** A container whose network probes go through the agent, which reaches the application past the redirection. */
export function rewriteProbes(container: Container, statusPort: number): RewrittenProbes {
  const probers: Record<string, JsonObject> = {};
  const rewrite = (handler: Json | undefined, path: string): JsonObject | undefined => {
    if (!isObject(handler)) return undefined;
    const action = ACTIONS.find((name) => isObject(handler[name]));
    if (action === undefined) return undefined;
    const original = handler[action] as JsonObject;
    if (original.port === statusPort) return undefined;
    const { [action]: _, ...others } = handler;
    const { timeoutSeconds } = handler;
    probers[path] = {
      [action]: { ...original, port: portOf(original.port, container), ...(action === 'grpc' && serviceOf(original)) },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    };
    return { ...others, httpGet: { ...(action === 'httpGet' && inPlainText(original)), path, port: statusPort } };
  };
  const probes = Object.entries(PROBES).map(([field, end]) => [
    field,
    rewrite(container[field] as Json, `/app-health/${container.name}/${end}`),
  ]);
  const lifecycle = isObject(container.lifecycle as Json) ? (container.lifecycle as JsonObject) : {};
  const handlers = Object.entries(HANDLERS).map(([field, end]) => [
    field,
    rewrite(lifecycle[field], `/app-lifecycle/${container.name}/${end}`),
  ]);
  const changed = { ...lifecycle, ...present(handlers) };
  return {
    container: {
      ...container,
      ...present(probes),
      ...(Object.keys(changed).length > 0 && { lifecycle: changed }),
    },
    probers,
  };
}

/** The kubelet asks the agent, which is the one to ask the application by HTTPS. */
const inPlainText = (httpGet: JsonObject): JsonObject =>
  httpGet.scheme === 'HTTPS' ? { ...httpGet, scheme: 'HTTP' } : httpGet;

/** Agents expect the field, also where it says nothing. */
const serviceOf = ({ service = null }: JsonObject): JsonObject => ({ service });

const present = (entries: readonly (readonly unknown[])[]): object =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined) as [string, unknown][]);

function portOf(port: Json | undefined, { ports = [] }: Container): Json | undefined {
  if (typeof port !== 'string') return port;
  return ports.find(({ name }) => name === port)?.containerPort ?? port;
}
