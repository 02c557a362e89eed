import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { testAuthority } from '../testing/authorities.ts';
import { mountedServingPaths, ServingFiles } from './serving-files.ts';

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'tls-'))));
afterEach(() => rm(folder, { recursive: true }));

test.each([
  ['no key', { 'tls.key': undefined }, 'tls.key: no such file'],
  ['the key of another', { 'tls.key': 'other' }, 'tls.key is not the key of'],
  ['roots that are none', { 'ca.crt': 'garbage' }, 'invalid PEM encoded certificate'],
])('%s is refused', async (_, changed, problem) => {
  const authority = await testAuthority();
  const [own, other] = await Promise.all([1, 2].map(() => authority.issueKey(['localhost'], 60_000)));
  const texts = { 'tls.crt': own!.chain, 'tls.key': own!.key, 'ca.crt': authority.roots, ...changed };
  for (const [name, text] of Object.entries(texts)) {
    if (text !== undefined) await writeFile(join(folder, name), text === 'other' ? other!.key : text);
  }
  const [certificate, key, roots] = ['tls.crt', 'tls.key', 'ca.crt'].map((name) => join(folder, name));
  const paths = { certificate: certificate!, key: key!, roots: roots! };
  await expect(ServingFiles.open({ paths, authority, report: () => undefined })).rejects.toThrow(problem);
});

test.each([
  [['tls/tls.crt', 'tls/tls.key', 'tls/ca.crt', 'ca/root-cert.pem'], 'ca/root-cert.pem'],
  [['tls/tls.crt', 'tls/tls.key', 'tls/ca.crt'], 'tls/ca.crt'],
  [['tls/tls.crt', 'tls/tls.key'], undefined],
  [['tls/tls.crt', 'tls/ca.crt'], undefined],
])('of what is mounted, %j, the roots are %s', (files, roots) => {
  const place = './var/run/secrets/istiod/';
  const found = mountedServingPaths((path) => files.some((file) => path === place + file));
  expect(found?.roots).toBe(roots && place + roots);
});
