import { mkdir, rename, writeFile } from 'node:fs/promises';
import { filesIn } from './credential-files.ts';
import type { WorkloadCertificate } from './workload-certificate.ts';

/** Keeps a certificate in a folder (OUTPUT_CERTS), for other programs and for the agent's next start. */
export async function writeCertificate(folder: string, { key, chain, roots }: WorkloadCertificate): Promise<void> {
  const files = filesIn(folder);
  await mkdir(folder, { recursive: true });
  await replace(files.key, key, 0o600);
  await replace(files.chain, chain, 0o644);
  await replace(files.roots, roots, 0o644);
}

/** A reader finds the old text or the new one, and nobody a key that is open to all for a moment. */
async function replace(path: string, text: string, mode: number): Promise<void> {
  const draft = `${path}.new`;
  await writeFile(draft, text, { mode });
  await rename(draft, path);
}
