import { localKubernetes, type MeshRead, objectKey } from '@kedge/config';
import { type Messages, packAny } from '@kedge/envoy-api';
import { query } from '@kedge/incremental';
import { formatDuration, type PrivateKeyProvider } from '@kedge/model';
import { clusterId, features, proxyConfig } from '@kedge/pushcontext';
import { type EncodedResource, encodeResource, sameVersion } from '../resource.ts';
import { CA_SUFFIX } from '../tls/sds-config.ts';
import { identityOf, isAllowed } from './access.ts';
import { configMapData, type KeyPair, keyPairOf, type Roots, rootsOf, secretData } from './certificates.ts';
import { parseSecretName, type SecretReference } from './secret-name.ts';

const SECRET = 'envoy.extensions.transport_sockets.tls.v3.Secret';
type SecretMessage = Messages[typeof SECRET];
type TlsCertificate = NonNullable<SecretMessage['tlsCertificate']>;

/** A secret that the proxy asked for by name; undefined where there is none, and where it isn't for this proxy. */
export const secret = query(
  'secret',
  (read: MeshRead, name: string): EncodedResource | undefined => {
    const identity = identityOf(read);
    const reference = identity && parseSecretName(name, identity.namespace);
    if (!reference || !isAllowed(read, identity, name, reference) || !hasSecretsOf(read)) return undefined;
    return read(secretContent, name, reference.scheme, reference.namespace, reference.name);
  },
  sameVersion,
);

/** Whether the proxy is of a cluster whose secrets are known. */
function hasSecretsOf(read: MeshRead): boolean {
  const cluster = read.fact(clusterId);
  return cluster === '' || cluster === features(read).clusterId;
}

/** A secret by where it is, for all that may have it. */
const secretContent = query(
  'secretContent',
  (
    read: MeshRead,
    name: string,
    scheme: SecretReference['scheme'],
    namespace: string,
    object: string,
  ): EncodedResource | undefined => {
    const message = contentOf(read, { scheme, namespace, name: object });
    return message && encodeResource(SECRET, name, { name, ...message });
  },
  sameVersion,
);

function contentOf(read: MeshRead, { scheme, namespace, name }: SecretReference): SecretMessage | undefined {
  const plainName = name.endsWith(CA_SUFFIX) ? name.slice(0, -CA_SUFFIX.length) : name;
  if (scheme === 'configmap') {
    const found = read.get(localKubernetes.sources.ConfigMap, objectKey(namespace, plainName));
    return rootsMessage(found && rootsOf(configMapData(found.spec)));
  }
  const data = (object: string) => {
    const found = read.get(localKubernetes.sources.Secret, objectKey(namespace, object));
    return found && secretData(found.spec);
  };
  if (plainName !== name) {
    // Roots have a secret of their own, or stand beside the certificate.
    const found = data(name) ?? data(plainName);
    return rootsMessage(found && rootsOf(found));
  }
  const found = data(name);
  const pair = found && keyPairOf(found);
  return pair && { tlsCertificate: certificateMessage(pair, proxyConfig(read, 'privateKeyProvider')) };
}

const inline = (inlineBytes: string): { readonly inlineBytes: string } => ({ inlineBytes });

function rootsMessage(roots: Roots | undefined): SecretMessage | undefined {
  if (!roots) return undefined;
  const { certificates, revoked } = roots;
  return {
    validationContext: { trustedCa: inline(certificates), ...(revoked === undefined ? {} : { crl: inline(revoked) }) },
  };
}

function certificateMessage(pair: KeyPair, provider: PrivateKeyProvider | undefined): TlsCertificate {
  const certificateChain = inline(pair.certificate);
  const privateKeyProvider = provider && keyProvider(pair, provider);
  if (privateKeyProvider) return { certificateChain, privateKeyProvider };
  return {
    certificateChain,
    privateKey: inline(pair.key),
    ...(pair.ocspStaple === undefined ? {} : { ocspStaple: inline(pair.ocspStaple) }),
  };
}

/** Hardware that signs with the key. */
function keyProvider(
  { key }: KeyPair,
  { cryptomb, qat }: PrivateKeyProvider,
): TlsCertificate['privateKeyProvider'] | undefined {
  const settings = cryptomb ?? qat;
  if (!settings) return undefined;
  const { pollDelay, fallback } = settings;
  const method = {
    ...(pollDelay === undefined ? {} : { pollDelay: formatDuration(pollDelay) }),
    privateKey: inline(key),
  };
  return {
    providerName: cryptomb ? 'cryptomb' : 'qat',
    typedConfig: cryptomb
      ? packAny('envoy.extensions.private_key_providers.cryptomb.v3alpha.CryptoMbPrivateKeyMethodConfig', method)
      : packAny('envoy.extensions.private_key_providers.qat.v3alpha.QatPrivateKeyMethodConfig', method),
    ...(fallback ? { fallback: true } : {}),
  };
}
