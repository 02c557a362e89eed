/** A workload's identity: `spiffe://TRUST-DOMAIN/ns/NAMESPACE/sa/SERVICE-ACCOUNT`. */
export interface SpiffeIdentity {
  readonly trustDomain: string;
  readonly namespace: string;
  readonly serviceAccount: string;
}

export const spiffeScheme = 'spiffe://';

const pattern = /^spiffe:\/\/([^/]*)\/ns\/([^/]*)\/sa\/([^/]*)$/;

/** Undefined where the text is no identity of this form; its parts may be empty. */
export function parseIdentity(uri: string): SpiffeIdentity | undefined {
  const [, trustDomain, namespace, serviceAccount] = pattern.exec(uri) ?? [];
  if (trustDomain === undefined || namespace === undefined || serviceAccount === undefined) return undefined;
  return { trustDomain, namespace, serviceAccount };
}

/** The URI of an identity; `@`, which some trust domains have but URIs can't, becomes a dot. Throws where a part is empty. */
export function formatIdentity({ trustDomain, namespace, serviceAccount }: SpiffeIdentity): string {
  if (!namespace || !serviceAccount) {
    throw new Error(
      `namespace or service account empty for SPIFFE uri ns=${namespace} serviceAccount=${serviceAccount}`,
    );
  }
  return `${spiffeScheme}${trustDomain.replaceAll('@', '.')}/ns/${namespace}/sa/${serviceAccount}`;
}

/** The identities, and each as it is called in the other trust domains. What is no identity of our form is kept as it is. */
export function inTrustDomains(uris: readonly string[], trustDomains: readonly string[]): readonly string[] {
  const expanded = uris.flatMap((uri) => {
    const identity = parseIdentity(uri);
    if (!identity) return [uri];
    const { namespace, serviceAccount } = identity;
    return [uri, ...trustDomains.map((domain) => `${spiffeScheme}${domain}/ns/${namespace}/sa/${serviceAccount}`)];
  });
  return [...new Set(expanded)];
}
