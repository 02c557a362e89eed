import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrorCode, messageOf } from '../error-code.ts';
import { isSameCertificate } from '../x509/certificate.ts';
import type { CertificateAuthority } from './certificate-authority.ts';
import { type CaMaterial, type CaTexts, readCaMaterial } from './ca-material.ts';
import { caFileNames, tlsFileNames } from './file-names.ts';

/** Reads a file as text; undefined where it isn't there. */
export type ReadText = (path: string) => Promise<string | undefined>;

export const readTextFile: ReadText = async (path) => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

/**
 * The authority that an operator put into a folder: the files of the Secret `cacerts`, or those of a TLS Secret. Undefined
 * where there is none; rejects where one is incomplete or doesn't fit together.
 */
export async function readPluggedIn(folder: string, read: ReadText = readTextFile): Promise<CaMaterial | undefined> {
  const texts = (await tlsTexts(folder, read)) ?? (await pemTexts(folder, read));
  const material = texts && readCaMaterial(texts);
  if (material && !material.certificate.isCa) {
    throw new Error('certificate is not authorized to sign other certificates');
  }
  return material;
}

async function tlsTexts(folder: string, read: ReadText): Promise<CaTexts | undefined> {
  const certificate = await read(join(folder, tlsFileNames.certificate));
  if (certificate === undefined) return undefined;
  const roots = await requiredText(join(folder, tlsFileNames.roots), read);
  const key = await requiredText(join(folder, tlsFileNames.key), read);
  return { certificate, key, roots, chain: certificate + roots };
}

async function pemTexts(folder: string, read: ReadText): Promise<CaTexts | undefined> {
  const key = await read(join(folder, caFileNames.key));
  if (key === undefined) return undefined;
  const revocations = await read(join(folder, caFileNames.revocations));
  return {
    key,
    certificate: await requiredText(join(folder, caFileNames.certificate), read),
    roots: await requiredText(join(folder, caFileNames.roots), read),
    chain: (await read(join(folder, caFileNames.chain))) ?? '',
    ...(revocations === undefined ? {} : { revocations }),
  };
}

/** The text of a file that must be there. */
export async function requiredText(path: string, read: ReadText): Promise<string> {
  const text = await read(path);
  if (text === undefined) throw new Error(`open ${path}: no such file or directory`);
  return text;
}

/** Calls back when something in the folder may be different. */
export type Watch = (folder: string, onChange: () => void) => Disposable;

export interface PluggedInOptions {
  readonly folder: string;
  readonly authority: CertificateAuthority;
  readonly watch: Watch;
  readonly read?: ReadText;
  /** What a change came to; a problem leaves the authority as it was. */
  readonly report: (result: { readonly problem?: string }) => void;
}

/** Follows the files of a plugged-in authority. */
export function followPluggedIn({
  folder,
  authority,
  watch,
  read = readTextFile,
  report,
}: PluggedInOptions): Disposable {
  let latest = 0;
  const reload = async (): Promise<void> => {
    const turn = ++latest;
    try {
      const material = await readPluggedIn(folder, read);
      if (turn !== latest) return;
      if (!material) throw new Error('the files of the certificate authority are gone');
      checkSuccession(authority.material, material);
      authority.replace(material);
      report({});
    } catch (error) {
      if (turn === latest) report({ problem: messageOf(error) });
    }
  };
  return watch(folder, () => void reload());
}

/** Proxies know the old roots only: at least one must stay, or the new ones be there before something is signed below them. */
function checkSuccession(before: CaMaterial, after: CaMaterial): void {
  const has = (material: CaMaterial, root: CaMaterial['roots'][number]): boolean =>
    material.roots.some((other) => isSameCertificate(other, root));
  const grows = before.roots.every((root) => has(after, root));
  const shrinks = after.roots.every((root) => has(before, root));
  if (grows || shrinks) return;
  throw new Error('the new roots replace the old ones at once: add the new root beside the old one first');
}
