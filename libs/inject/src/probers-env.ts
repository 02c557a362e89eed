import type { EnvVar } from './pod.ts';

const NAME = 'ISTIO_KUBE_APP_PROBERS';

/**
 * The environment of the proxy with the probes that it has to answer for. Those of an earlier injection stay, as their containers
 * now show only the rewritten probes.
 */
export function withProbers(env: readonly EnvVar[], probers: string, wasInjected: boolean): readonly EnvVar[] {
  const index = wasInjected ? env.findIndex(({ name }) => name === NAME) : -1;
  if (index < 0) return [...env, { name: NAME, value: probers }];
  const merged = { ...parse(env[index]?.value), ...parse(probers) };
  const sorted = Object.fromEntries(Object.entries(merged).sort(([a], [b]) => (a < b ? -1 : 1)));
  return env.with(index, { name: NAME, value: JSON.stringify(sorted) });
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text ?? '{}') as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
