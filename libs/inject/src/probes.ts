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
    const { timeoutSeconds, ...rest } = handler;
    const { [action]: _, ...others } = rest;
    probers[path] = {
      [action]: { ...original, port: portOf(original.port, container) },
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    };
    const scheme = original.scheme === undefined ? {} : { scheme: 'HTTP' };
    return {
      ...others,
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
      httpGet: { path, port: statusPort, ...scheme },
    };
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

const present = (entries: readonly (readonly unknown[])[]): object =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined) as [string, unknown][]);

function portOf(port: Json | undefined, { ports = [] }: Container): Json | undefined {
  if (typeof port !== 'string') return port;
  return ports.find(({ name }) => name === port)?.containerPort ?? port;
}
