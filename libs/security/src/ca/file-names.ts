/** The files of an authority in a folder, a Secret, or a store. */
export const caFileNames = {
  certificate: 'ca-cert.pem',
  key: 'ca-key.pem',
  roots: 'root-cert.pem',
  chain: 'cert-chain.pem',
  revocations: 'ca-crl.pem',
} as const;

/** The same in a Secret of the type `kubernetes.io/tls`, whose certificate and root are the chain. */
export const tlsFileNames = { certificate: 'tls.crt', key: 'tls.key', roots: 'ca.crt' } as const;

/** Says of an authority where operators put theirs that it is a self-signed one all the same, and to be renewed as such. */
export const generatedMark = 'istio-generated';
