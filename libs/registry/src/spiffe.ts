/** The SPIFFE identity of a service account. https://github.com/spiffe/spiffe/blob/main/standards/SPIFFE-ID.md */
export const spiffeId = (trustDomain: string, namespace: string, serviceAccount: string): string =>
  `spiffe://${trustDomain}/ns/${namespace}/sa/${serviceAccount}`;
