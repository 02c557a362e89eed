import type { ConfigSource } from '@kedge/config';
import type { Config } from '@kedge/model';
import type { Finding } from '../findings.ts';

/** The objects in effect, as manifests; Secrets are not shown. */
export function configz(source: ConfigSource): unknown {
  return source
    .list()
    .filter(({ kind }) => kind !== 'Secret')
    .map(manifest);
}

function manifest({
  kind,
  group,
  version,
  name,
  namespace,
  labels,
  annotations,
  creationTimestamp,
  spec,
  status,
}: Config): unknown {
  return {
    apiVersion: group ? `${group}/${version}` : version,
    kind,
    metadata: { name, namespace, labels, annotations, creationTimestamp: new Date(creationTimestamp).toISOString() },
    spec,
    status,
  };
}

/** What is wrong with the present state, by rule and object; and for which proxy, where it is about what that one gets. */
export function pushStatus(findings: readonly Finding[]): unknown {
  const status: Record<string, Record<string, unknown>> = {};
  for (const { code, kind, namespace, name, field, severity, message, file, line, proxy } of findings) {
    const object = [kind, namespace, name, field].filter(Boolean).join('/');
    (status[code] ??= {})[object || (file ?? '')] ??= { proxy, severity, message, file, line };
  }
  return status;
}
