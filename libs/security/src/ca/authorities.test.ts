import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AuthorityPair,
  authorityPair,
  intermediateTexts,
  rootMaterial,
  rootTexts,
} from '../testing/authorities.ts';
import { parseCertificate, parseCertificates } from '../x509/certificate.ts';
import { verifyChain } from '../x509/verify-chain.ts';
import { FolderCaStore, MemoryCaStore } from './ca-store.ts';
import { readCaMaterial } from './ca-material.ts';
import { CertificateAuthority, defaultLifetimes } from './certificate-authority.ts';
import { openAuthority } from './open-authority.ts';
import { followPluggedIn, readPluggedIn } from './plugged-in.ts';
import { type RootCheck, RootRotation } from './root-rotation.ts';
import { openSelfSigned, type SelfSignedOptions } from './self-signed.ts';
import { watchFolder } from './watch-folder.ts';

const DAY = 24 * 3_600_000;

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'authority-'))));
afterEach(() => rm(folder, { recursive: true }));

describe.each([
  ['memory', () => new MemoryCaStore()],
  ['a folder', () => new FolderCaStore(join(folder, 'store'))],
])('a store in %s', (_, open) => {
  test('keeps the first of two, until it is replaced', async () => {
    const store = open();
    expect(await store.load()).toBeUndefined();
    expect(await Promise.all([store.create({ a: '1' }), store.create({ a: '2' })])).toContain(false);
    const first = await store.load();
    expect(await store.create({ a: '3' })).toBe(false);
    expect(await store.load()).toEqual(first);
    await store.replace({ a: '4', b: '5' });
    expect(await store.load()).toEqual({ a: '4', b: '5' });
  });
});

test('a store in a folder is for its owner only, and keeps one state', async () => {
  const store = new FolderCaStore(folder);
  await store.create({ key: 'secret' });
  await store.replace({ key: 'other' });
  const states = (await readdir(folder)).filter((name) => name.startsWith('state-'));
  expect(states).toHaveLength(1);
  expect((await stat(join(folder, 'current'))).mode & 0o077).toBe(0);
  expect((await stat(join(folder, 'current', 'key'))).mode & 0o077).toBe(0);
});

const selfSigned = (options: Partial<SelfSignedOptions> = {}): SelfSignedOptions => ({
  store: new MemoryCaStore(),
  organization: 'cluster.local',
  ttl: 10 * DAY,
  key: { algorithm: 'P-256' },
  ...options,
});

describe('a self-signed authority', () => {
  test('is the same after a restart', async () => {
    const options = selfSigned();
    const first = await openSelfSigned(options);
    expect(first.certificate.x509.subject).toBe('O=cluster.local');
    expect((await openSelfSigned(options)).texts).toEqual(first.texts);
  });

  test('is the same for replicas that start at once', async () => {
    const options = selfSigned();
    const [one, other] = await Promise.all([openSelfSigned(options), openSelfSigned(options)]);
    expect(one?.texts).toEqual(other?.texts);
  });

  test('trusts further roots', async () => {
    const { certificate } = await authorityPair({ name: 'other' });
    expect((await openSelfSigned(selfSigned({ extraRoots: certificate }))).roots).toHaveLength(2);
  });

  test('refuses an RSA key that is too short', async () => {
    await expect(openSelfSigned(selfSigned({ key: { algorithm: 'RSA', rsaBits: 1024 } }))).rejects.toThrow(
      'at least 2048 bits',
    );
  });

  test('renews its root; both are trusted, and either verifies what was signed below the other', async () => {
    let clock = Date.now();
    const now = () => clock;
    const options = selfSigned({ now });
    const authority = new CertificateAuthority({ material: await openSelfSigned(options), now });
    const checks: RootCheck[] = [];
    using rotation = new RootRotation({
      ...options,
      authority,
      checkInterval: DAY,
      grace: 0.2,
      jitter: false,
      report: (check) => checks.push(check),
    });
    const before = parseCertificate((await authority.issueKey(['a.example'], DAY)).chain);
    const [oldRoot] = authority.material.roots;
    expect(await rotation.check()).toEqual({ kind: 'unchanged' });
    clock += 9 * DAY;
    expect(await rotation.check()).toEqual({ kind: 'renewed' });
    const after = parseCertificate((await authority.issueKey(['a.example'], DAY)).chain);
    const { roots } = authority.material;
    expect(roots).toHaveLength(2);
    const newRoot = roots.find((root) => root.serial !== oldRoot!.serial)!;
    for (const leaf of [before, after]) {
      for (const root of [oldRoot!, newRoot]) {
        const at = new Date(Math.max(leaf.notBefore.getTime(), root.notBefore.getTime()) + 1000);
        if (at < leaf.notAfter) verifyChain(leaf, { roots: [root], intermediates: [], at });
      }
    }
    clock += 2 * DAY;
    expect((await openSelfSigned(options)).roots.map(({ serial }) => serial)).toEqual([newRoot.serial]);
  });

  test('takes over what another process renewed, and says what fails', async () => {
    const options = selfSigned();
    const authority = new CertificateAuthority({ material: await openSelfSigned(options) });
    const report = () => undefined;
    using rotation = new RootRotation({ ...options, authority, checkInterval: DAY, grace: 0.2, jitter: true, report });
    let told = 0;
    using _ = authority.subscribe(() => told++);
    const other = rootTexts(await authorityPair({ name: 'renewed' }));
    await options.store.replace({
      'ca-cert.pem': other.certificate,
      'ca-key.pem': other.key,
      'root-cert.pem': other.roots,
    });
    expect(await rotation.check()).toEqual({ kind: 'reloaded' });
    expect(authority.material.certificate.x509.subject).toContain('renewed');
    expect(told).toBe(1);
    await options.store.replace({ 'ca-cert.pem': 'garbage', 'ca-key.pem': other.key });
    expect(await rotation.check()).toEqual({
      kind: 'failed',
      problem: expect.stringContaining('failed to parse cert PEM'),
    });
  });
});

const write = (files: Readonly<Record<string, string>>) =>
  Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));

const cacerts = (pair: AuthorityPair, root: AuthorityPair, roots = root.certificate) =>
  write({
    'ca-cert.pem': pair.certificate,
    'ca-key.pem': pair.key,
    'cert-chain.pem': pair.certificate,
    'root-cert.pem': roots,
  });

describe('a plugged-in authority', () => {
  test('is read in either form, or is not there', async () => {
    expect(await readPluggedIn(folder)).toBeUndefined();
    const root = await authorityPair({ name: 'root' });
    const pair = await authorityPair({ name: 'intermediate', issuer: root });
    await cacerts(pair, root);
    expect((await readPluggedIn(folder))?.chain).toHaveLength(1);
    await write({ 'tls.crt': pair.certificate, 'tls.key': pair.key, 'ca.crt': root.certificate });
    expect((await readPluggedIn(folder))?.chain).toHaveLength(2);
  });

  test.each([
    ['without its certificate', { 'ca-cert.pem': undefined }, 'ca-cert.pem: no such file or directory'],
    [
      'with a key of another',
      { 'ca-key.pem': async () => (await authorityPair({ name: 'x' })).key },
      'the cert does not match the key',
    ],
    [
      'below another root',
      { 'root-cert.pem': async () => (await authorityPair({ name: 'x' })).certificate },
      'certificate signed by unknown authority',
    ],
    [
      'with a key that is none',
      { 'ca-key.pem': async () => Promise.resolve('x') },
      'failed to parse private key PEM: invalid PEM-encoded key',
    ],
  ])('is refused %s', async (_, changes: Readonly<Record<string, (() => Promise<string>) | undefined>>, problem) => {
    const root = await authorityPair({ name: 'root' });
    await cacerts(await authorityPair({ name: 'intermediate', issuer: root }), root);
    for (const [name, make] of Object.entries(changes)) {
      if (make) await write({ [name]: await make() });
      else await rm(join(folder, name));
    }
    await expect(readPluggedIn(folder)).rejects.toThrow(problem);
  });

  test('is refused where it may not sign', async () => {
    const authority = new CertificateAuthority({ material: await rootMaterial() });
    const { key, chain } = await authority.issueKey(['a.example'], DAY);
    await write({ 'ca-cert.pem': chain, 'ca-key.pem': key, 'root-cert.pem': authority.roots });
    await expect(readPluggedIn(folder)).rejects.toThrow('certificate is not authorized to sign other certificates');
  });

  test('is followed: a new root comes beside the old one, then takes its place', async () => {
    const [oldRoot, newRoot] = [await authorityPair({ name: 'old' }), await authorityPair({ name: 'new' })];
    const oldPair = await authorityPair({ name: 'below old', issuer: oldRoot });
    const newPair = await authorityPair({ name: 'below new', issuer: newRoot });
    await cacerts(oldPair, oldRoot);
    const authority = new CertificateAuthority({ material: (await readPluggedIn(folder))! });
    let tell = (_: string | undefined): void => undefined;
    const report = ({ problem }: { readonly problem?: string }) => tell(problem);
    using _ = followPluggedIn({ folder, authority, watch: watchFolder, report });
    const change = async (work: () => Promise<unknown>): Promise<string | undefined> => {
      const told = new Promise<string | undefined>((resolve) => (tell = resolve));
      await work();
      return told;
    };
    const both = oldRoot.certificate + newRoot.certificate;
    expect(await change(() => cacerts(newPair, newRoot))).toContain('add the new root beside the old one first');
    expect(await change(() => cacerts(oldPair, oldRoot, both))).toBeUndefined();
    expect(parseCertificates(authority.roots)).toHaveLength(2);
    expect(await change(() => cacerts(newPair, newRoot, both))).toBeUndefined();
    expect(await change(() => cacerts(newPair, newRoot))).toBeUndefined();
    expect(authority.material.certificate.x509.subject).toContain('below new');
    expect(await change(() => write({ 'ca-key.pem': 'garbage' }))).toContain('failed to parse private key PEM');
    expect(authority.material.certificate.x509.subject).toContain('below new');
  });

  test('needs lists of revoked certificates of all its authorities, if of any', async () => {
    const root = await authorityPair({ name: 'root' });
    const pair = await authorityPair({ name: 'intermediate', issuer: root });
    const revocations = '-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----\n';
    expect(() => readCaMaterial({ ...intermediateTexts(pair, root), revocations })).toThrow('failed to parse CRL PEM');
  });

  test('is opened without its lists where these are not to count', async () => {
    const root = await authorityPair({ name: 'root' });
    await cacerts(await authorityPair({ name: 'intermediate', issuer: root }), root);
    await write({ 'ca-crl.pem': '-----BEGIN X509 CRL-----\nMAA=\n-----END X509 CRL-----\n' });
    const rotation = { checkInterval: DAY, grace: 0.2, jitter: false };
    const options = { pluggedInFolder: folder, selfSigned: selfSigned(), rotation, lifetimes: defaultLifetimes };
    const open = (revocations: boolean) => openAuthority({ ...options, revocations, report: () => undefined });
    await expect(open(true)).rejects.toThrow('CRL');
    using opened = await open(false);
    expect(opened.authority.material.revocations).toEqual([]);
  });
});
