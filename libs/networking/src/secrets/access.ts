import { type MeshRead, secretAccessSource, secretReviewsSource, SINGLE } from '@kedge/config';
import { fact, query } from '@kedge/incremental';
import type { Proxy, ProxyIdentity } from '@kedge/model';
import { alike, selectedGateways } from '@kedge/pushcontext';
import { CA_SUFFIX, servedSecretName } from '../tls/sds-config.ts';
import { parseSecretName, type SecretReference } from './secret-name.ts';

const verifiedNamespace = fact('identity.namespace', ({ identity }: Proxy) => identity?.namespace);
const verifiedAccount = fact('identity.serviceAccount', ({ identity }: Proxy) => identity?.serviceAccount);
const statedNamespace = fact('stated.namespace', ({ metadata }: Proxy) => metadata.namespace);
const statedAccount = fact('stated.serviceAccount', ({ metadata }: Proxy) => metadata.serviceAccount);

/** Who the proxy is; undefined where that isn't known for sure. */
export function identityOf(read: MeshRead): ProxyIdentity | undefined {
  const namespace = read.fact(verifiedNamespace);
  if (namespace !== undefined) return { namespace, serviceAccount: read.fact(verifiedAccount) ?? '' };
  if (!read.get(secretAccessSource, SINGLE)?.trustsStatedIdentity) return undefined;
  return { namespace: read.fact(statedNamespace), serviceAccount: read.fact(statedAccount) };
}

/** Whether the API server lets the identity read the secrets of its namespace. */
function mayReadSecrets(read: MeshRead, { namespace, serviceAccount }: ProxyIdentity): boolean {
  const reviewed = read.get(secretReviewsSource, `${namespace}/${serviceAccount}`);
  return reviewed ?? read.get(secretAccessSource, SINGLE)?.allowsUnreviewed ?? false;
}

/**
 * Whether the identity may have a secret. Roots of others are public, as is what stands in a ConfigMap; keys are for proxies
 * of the same namespace that may read them anyway, or that a Gateway of the Gateway API gives them to.
 */
export function isAllowed(read: MeshRead, identity: ProxyIdentity, name: string, reference: SecretReference): boolean {
  switch (reference.scheme) {
    case 'configmap':
      return true;
    case 'kubernetes':
      return (
        reference.namespace === identity.namespace &&
        (reference.name.endsWith(CA_SUFFIX) || mayReadSecrets(read, identity))
      );
    case 'kubernetes-gateway':
      return read.by(referencedSecrets, identity.namespace, identity.serviceAccount).includes(name);
  }
}

const PARENT_NAMESPACE = 'internal.istio.io/parent-namespace';
const SERVICE_ACCOUNT = 'internal.istio.io/service-account-name';

/** The names of secrets that the Gateways of a proxy refer to, of the Gateway's own namespace, for proxies that serve it. */
const referencedSecrets = query(
  'referencedSecrets',
  (read: MeshRead, namespace: string, serviceAccount: string): readonly string[] => {
    const names = selectedGateways(read)
      .filter((gateway) => {
        const account = gateway.annotations[SERVICE_ACCOUNT] ?? '';
        const parent = gateway.annotations[PARENT_NAMESPACE] || gateway.namespace;
        return (
          parent === namespace && gateway.namespace === namespace && (account === '' || account === serviceAccount)
        );
      })
      .flatMap(({ spec }) => spec.servers)
      .flatMap(({ tls }) => {
        if (!tls) return [];
        const own = tls.credentialNames.length > 0 ? tls.credentialNames : [tls.credentialName ?? ''];
        const validates = tls.mode === 'MUTUAL' || tls.mode === 'OPTIONAL_MUTUAL';
        return [...own, ...(validates ? own.map((name) => name + CA_SUFFIX) : []), tls.caCertCredentialName ?? ''];
      })
      .map(servedSecretName)
      .filter((name) => parseSecretName(name, namespace)?.namespace === namespace);
    return [...new Set(names)].sort();
  },
  alike,
);
