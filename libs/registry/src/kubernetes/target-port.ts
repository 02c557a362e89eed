import type { ObjectOf } from '@kedge/config';

/**
 * The port of a WorkloadEntry that serves a port of a service: the entry's own port of that name, else the number that
 * the service says. Undefined where the service asks for a named port that the entry has not got.
 */
export function targetPortOf(
  { spec }: ObjectOf<'Service'>,
  name: string,
  port: number,
  ports: Readonly<Record<string, number>>,
): number | undefined {
  const target = spec.ports.find((candidate) => candidate.name === name || candidate.port === port)?.targetPort;
  if (typeof target === 'string') return ports[target] || undefined;
  return ports[name] || target || port;
}
