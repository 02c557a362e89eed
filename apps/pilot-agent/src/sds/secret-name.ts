/** The names under which Envoy asks the agent for secrets: what is asked for, and the files where it is in files. */
export type SecretSource =
  | { readonly kind: 'certificate'; readonly chain: string; readonly key: string }
  | { readonly kind: 'roots'; readonly path: string };

/** The workload's own certificate. */
export const workloadSecret = 'default';
/** The roots by which others are verified. */
export const rootSecret = 'ROOTCA';

/** The files that a name such as `file-cert:CHAIN~KEY` or `file-root:PATH` means; undefined for all other names. */
export function fileSource(name: string): SecretSource | undefined {
  const [, kind, rest = ''] = /^file-(cert|root):(.+)$/.exec(name) ?? [];
  const paths = rest.split('~');
  if (paths.some((path) => path === '')) return undefined;
  const [first, second] = paths;
  if (kind === 'cert' && paths.length === 2) return { kind: 'certificate', chain: first!, key: second! };
  if (kind === 'root' && paths.length === 1) return { kind: 'roots', path: first! };
  return undefined;
}
