import { basename, join } from 'node:path';
import { CertificateAuthority, type LifetimeLimits } from './certificate-authority.ts';
import type { CaMaterial } from './ca-material.ts';
import { caFileNames, generatedMark } from './file-names.ts';
import { followPluggedIn, readPluggedIn, type ReadText, readTextFile, type Watch } from './plugged-in.ts';
import { RootRotation } from './root-rotation.ts';
import { openSelfSigned, type SelfSignedOptions } from './self-signed.ts';
import { watchFolder } from './watch-folder.ts';

export interface AuthorityReport {
  readonly severity: 'info' | 'error';
  readonly message: string;
}

export interface OpenAuthorityOptions {
  /** Where an operator may have put an authority. */
  readonly pluggedInFolder: string;
  /** Whether what lies there may be a self-signed one that the store has. */
  readonly mayBeGenerated?: boolean;
  /** Whether its list of revocations counts; it does where this is absent. */
  readonly revocations?: boolean;
  /** The authority that is made where there is none. */
  readonly selfSigned: Omit<SelfSignedOptions, 'now'>;
  readonly rotation: { readonly checkInterval: number; readonly grace: number; readonly jitter: boolean };
  readonly lifetimes: LifetimeLimits;
  readonly report: (report: AuthorityReport) => void;
  readonly watch?: Watch;
  readonly read?: ReadText;
}

export interface OpenedAuthority extends Disposable {
  readonly authority: CertificateAuthority;
}

/**
 * The authority of a mesh: the one that is plugged in, whose files are followed, or else a self-signed one, whose root is
 * renewed in time. Rejects where the one that is there can't be used: it is not replaced by another.
 */
export async function openAuthority(given: OpenAuthorityOptions): Promise<OpenedAuthority> {
  const options = given.revocations === false ? { ...given, read: withoutRevocations(given.read) } : given;
  const { pluggedInFolder, selfSigned, lifetimes, read } = options;
  const pluggedIn = (await isGenerated(options)) ? undefined : await readPluggedIn(pluggedInFolder, read);
  const material = pluggedIn ?? (await openSelfSigned(selfSigned));
  const authority = new CertificateAuthority({ material, lifetimes });
  options.report({ severity: 'info', message: describe(material, pluggedIn ? 'plugged-in' : 'self-signed') });
  const upkeep = pluggedIn ? follow(authority, options) : rotate(authority, options);
  return { authority, [Symbol.dispose]: () => upkeep?.[Symbol.dispose]() };
}

const withoutRevocations =
  (read: ReadText = readTextFile): ReadText =>
  (path) =>
    basename(path) === caFileNames.revocations ? Promise.resolve(undefined) : read(path);

async function isGenerated(options: OpenAuthorityOptions): Promise<boolean> {
  const { mayBeGenerated = false, pluggedInFolder, read = readTextFile } = options;
  return mayBeGenerated && (await read(join(pluggedInFolder, generatedMark))) !== undefined;
}

function describe({ certificate, roots }: CaMaterial, kind: string): string {
  const subject = certificate.x509.subject?.replaceAll('\n', ', ') ?? '';
  return `${kind} certificate authority "${subject}" until ${certificate.notAfter.toISOString()}, roots: ${roots.length}`;
}

function follow(authority: CertificateAuthority, options: OpenAuthorityOptions): Disposable {
  const { pluggedInFolder: folder, report, read, watch = watchFolder } = options;
  return followPluggedIn({
    folder,
    authority,
    watch,
    ...(read ? { read } : {}),
    report: ({ problem }) =>
      report(
        problem === undefined
          ? { severity: 'info', message: describe(authority.material, 'updated') }
          : { severity: 'error', message: `the certificate authority stays as it was: ${problem}` },
      ),
  });
}

function rotate(authority: CertificateAuthority, options: OpenAuthorityOptions): Disposable | undefined {
  const { rotation, selfSigned, report } = options;
  // As in Istio, no interval means no rotation.
  if (rotation.checkInterval <= 0) return undefined;
  return new RootRotation({
    ...selfSigned,
    ...rotation,
    authority,
    report: (check) => {
      if (check.kind === 'failed') {
        report({ severity: 'error', message: `the root could not be checked: ${check.problem}` });
      } else if (check.kind !== 'unchanged') {
        report({ severity: 'info', message: `root ${check.kind}: ${describe(authority.material, 'self-signed')}` });
      }
    },
  });
}
