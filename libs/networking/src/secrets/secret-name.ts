/** Where a secret that a listener or cluster names is found. */
export interface SecretReference {
  /**
   * `kubernetes` for a Secret that proxies read by their own right, `kubernetes-gateway` for one that a Gateway of the Gateway
   * API refers to, `configmap` for one of the public certificates in a ConfigMap.
   */
  readonly scheme: 'kubernetes' | 'kubernetes-gateway' | 'configmap';
  readonly namespace: string;
  readonly name: string;
}

/** Names that Envoy asks for: `kubernetes://[NAMESPACE/]NAME`, and the other schemes with a namespace. */
const FORM = /^(kubernetes|kubernetes-gateway|configmap):\/\/(?:([^/]*)\/)?([^/]*)/;

/** Undefined for names that aren't of secrets that the control plane serves. */
export function parseSecretName(name: string, ownNamespace: string): SecretReference | undefined {
  const [, scheme, namespace, object] = FORM.exec(name) ?? [];
  if (scheme === undefined || !object) return undefined;
  if (scheme === 'kubernetes') return { scheme, namespace: namespace ?? ownNamespace, name: object };
  if (!namespace) return undefined;
  return { scheme: scheme as SecretReference['scheme'], namespace, name: object };
}
