import { join } from 'node:path';
import { readIfThere } from '../pod-info.ts';

/** Where the pod's token is. */
const tokenFile = './var/run/secrets/tokens/istio-token';

/** The files of a key, its certificate and the roots. */
export interface CertificateFiles {
  readonly key: string;
  readonly chain: string;
  readonly roots: string;
}

/** Of PROV_CERT and OUTPUT_CERTS: what a machine without a token is known by, and where its certificates are kept. */
export const filesIn = (folder: string): CertificateFiles => ({
  key: join(folder, 'key.pem'),
  chain: join(folder, 'cert-chain.pem'),
  roots: join(folder, 'root-cert.pem'),
});

/** Certificates of the workload that others put there; used with FILE_MOUNTED_CERTS. */
export const mountedFiles = filesIn('./etc/certs');

/** What the platform issues, which is used wherever it is there. */
export const platformFiles: CertificateFiles = {
  key: './var/run/secrets/workload-spiffe-credentials/private_key.pem',
  chain: './var/run/secrets/workload-spiffe-credentials/certificates.pem',
  roots: './var/run/secrets/workload-spiffe-credentials/ca_certificates.pem',
};

/** The root of the control plane's own certificate. */
const meshRoot = './var/run/secrets/istio/root-cert.pem';

export interface RootSettings {
  /** CA_ROOT_CA or XDS_ROOT_CA: a file, or `SYSTEM`. */
  readonly given: string;
  /** PROV_CERT. */
  readonly provisioned: string;
  readonly fileMounted: boolean;
  /** PILOT_CERT_PROVIDER. */
  readonly provider: string;
}

/** The file of the roots that a server of the control plane is verified by; undefined for those of the system. */
export function rootFile(
  { given, provisioned, fileMounted, provider }: RootSettings,
  isThere: (path: string) => boolean,
): string | undefined {
  if (given === 'SYSTEM') return undefined;
  if (given !== '') return given;
  if (isThere(mountedFiles.roots)) return mountedFiles.roots;
  if (provisioned !== '') return filesIn(provisioned).roots;
  return fileMounted || provider === 'custom' ? mountedFiles.roots : meshRoot;
}

/** What a server of the control plane is called with. Read anew for each connection, since all of it is rotated. */
export interface CallerCredentials {
  /** Absent: those of the system. */
  readonly roots?: string;
  readonly token?: string;
  readonly certificate?: { readonly key: string; readonly chain: string };
}

/** @throws Error where the roots are not there. */
export async function readCredentials(
  roots: string | undefined,
  files: Pick<CertificateFiles, 'key' | 'chain'> | undefined,
): Promise<CallerCredentials> {
  const read = async (path: string | undefined) => (path === undefined ? undefined : readIfThere(path));
  const [rootText, token, key, chain] = await Promise.all(
    [roots, tokenFile, files?.key, files?.chain].map((path) => read(path)),
  );
  if (roots !== undefined && rootText === undefined) {
    throw new Error(`the root certificate ${roots}, by which the control plane is verified, is not there`);
  }
  return {
    ...(rootText !== undefined && { roots: rootText }),
    ...(token?.trim() && { token: token.trim() }),
    ...(key && chain && { certificate: { key, chain } }),
  };
}
