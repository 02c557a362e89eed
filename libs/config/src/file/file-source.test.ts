import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Config } from '@kedge/model';
import type { ConfigChange } from '../config-source.ts';
import { FileSource, type FileSourceOptions } from './file-source.ts';

const service = (name: string, port = 80, more = ''): string =>
  `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}, namespace: shop${more}}\nspec: {ports: [{name: http, port: ${port}}]}\n`;

let folder: string;
let source: FileSource;
let heard: ConfigChange[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
  heard = [];
});

afterEach(() => {
  source[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

/** Puts a file in place at once, as careful writers do. */
function rename(name: string, text: string): void {
  write('.new', text);
  renameSync(join(folder, '.new'), join(folder, name));
}

function open(options: Partial<FileSourceOptions> = {}): void {
  source = new FileSource({ folder, ...options });
  source.subscribe((changes) => heard.push(...changes));
}

const names = (): readonly string[] => source.list().map(portOf).sort();
const portOf = ({ name, spec }: Config): string =>
  `${name}:${(spec as { ports?: readonly { port: number }[] }).ports?.[0]?.port}`;
const told = (): readonly string[] =>
  heard.map(({ key, old, new: now }) => `${key.name} ${old ? portOf(old) : '-'} ${now ? portOf(now) : '-'}`);
const complaints = (): readonly string[] =>
  source
    .diagnostics()
    .map(({ code, name, file = '', line }) => `${code} ${name} ${file.slice(folder.length + 1)}:${line}`);

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries > 400) throw new Error(`never: ${String(condition)}; there is ${names().join(' ')}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('reading a folder', () => {
  test('files of several documents, folders in it, and only manifests', () => {
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
    write('a.yaml', `${service('a')}---\n${service('b')}`);
    write('deep/er/c.yml', service('c'));
    write('d.json', JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'd' } }));
    write('.hidden.yaml', service('x'));
    write('a.yaml~', service('y'));
    write('readme.txt', 'not: [yaml');
    open();
    expect(names()).toEqual(['a:80', 'b:80', 'c:80', 'd:undefined']);
    expect(source.diagnostics()).toEqual([]);
  });

  test('a bad object and a bad document cost only themselves, and are named with file and line', () => {
    write('a.yaml', `${service('a')}---\nkind: {\n---\napiVersion: v1\nkind: Service\nmetadata: {name: bad}\nspec: {ports: 1}\n---\n${service('b')}`); // prettier-ignore
    open();
    expect(names()).toEqual(['a:80', 'b:80']);
    expect(complaints()).toEqual([expect.stringMatching(/^yaml-syntax {2}a.yaml:[67]$/), 'wrong-type bad a.yaml:11']);
  });

  test('objects of another revision are not taken in, unless they are of Kubernetes', () => {
    const policy = (name: string, revision: string): string =>
      `apiVersion: security.istio.io/v1\nkind: PeerAuthentication\nmetadata: {name: ${name}, namespace: shop, labels: {istio.io/rev: ${revision}}}\n`;
    write('a.yaml', [policy('mine', 'blue'), policy('other', 'green'), service('a', 80, ', labels: {istio.io/rev: green}')].join('---\n')); // prettier-ignore
    open({ revision: 'blue' });
    expect(source.list().map(({ name }) => name)).toEqual(['mine', 'a']);
  });

  test('an object against the rules of its kind is kept out, and the field named with its line', () => {
    write('a.yaml', `${service('a')}---\napiVersion: networking.istio.io/v1\nkind: ServiceEntry\nmetadata: {name: bad, namespace: shop}\nspec:\n  hosts: []\n  ports: [{number: 80, name: http}]\n`); // prettier-ignore
    open();
    expect(source.list().map(({ name }) => name)).toEqual(['a']);
    expect(complaints()[0]).toMatch(/ bad a.yaml:10$/);
  });

  test('what another validation refuses is kept out', () => {
    write('a.yaml', `${service('a')}---\n${service('b')}`);
    open({
      validate: ({ kind, namespace, name }) =>
        name === 'b' ? [{ severity: 'error', code: 'no', kind, namespace, name, field: '', message: 'no' }] : [],
    });
    expect(names()).toEqual(['a:80']);
    expect(source.diagnostics()).toMatchObject([{ code: 'no', name: 'b' }]);
  });
});

describe('one object in two files', () => {
  test('the first file by path counts, whichever came first; both are named', async () => {
    write('b.yaml', service('a', 2));
    open();
    rename('a.yaml', service('a', 1));
    await until(() => names()[0] === 'a:1');
    expect(complaints()).toEqual(['duplicate-object a b.yaml:1']);
    expect(source.diagnostics()[0]?.message).toContain(join(folder, 'a.yaml'));
    unlinkSync(join(folder, 'a.yaml'));
    await until(() => names()[0] === 'a:2');
    expect(complaints()).toEqual([]);
  });

  test('an object that moves to another file is never away', async () => {
    write('a.yaml', `${service('a')}---\n${service('b')}`);
    open();
    rename('a.yaml', service('a'));
    rename('z.yaml', service('b'));
    await until(() => heard.length > 0);
    expect(names()).toEqual(['a:80', 'b:80']);
    expect(heard.filter((change) => !change.new)).toEqual([]);
  });
});

describe('changes', () => {
  test('only what changed in a file is told', async () => {
    write('a.yaml', `${service('a')}---\n${service('b')}`);
    open();
    const [a] = source.list();
    rename('a.yaml', `# moved\n---\n${service('a')}---\n${service('b', 81)}---\n${service('c')}`);
    await until(() => names().length === 3);
    expect(told()).toEqual(['b b:80 b:81', 'c - c:80']);
    expect(source.list()).toContain(a);
  });

  test('a file renamed into place is told within a few milliseconds', async () => {
    write('a.yaml', service('a', 1));
    open();
    const latencies: number[] = [];
    for (let port = 2; port < 8; port++) {
      const start = performance.now();
      const next = new Promise<void>((resolve) => {
        const listening = source.subscribe(() => (listening[Symbol.dispose](), resolve()));
      });
      rename('a.yaml', service('a', port));
      await next;
      latencies.push(performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(names()).toEqual(['a:7']);
    expect(latencies.sort((a, b) => a - b)[2]).toBeLessThan(20);
  });

  test('a file written in steps is read once it is complete', async () => {
    write('a.yaml', `${service('a')}---\n${service('b')}`);
    open();
    write('a.yaml', '');
    write('a.yaml', service('a', 81));
    await new Promise((resolve) => setTimeout(resolve, 10));
    write('a.yaml', `${service('a', 81)}---\n${service('b')}`);
    await until(() => heard.length > 0);
    expect(told()).toEqual(['a a:80 a:81']);
  });

  test('a file that breaks keeps its last good state until it is mended', async () => {
    write('a.yaml', `${service('a')}---\n${service('b')}`);
    open();
    rename('a.yaml', `${service('a', 81)}---\nkind: [\n`);
    await until(() => complaints().length > 0);
    expect(names()).toEqual(['a:80', 'b:80']);
    rename('a.yaml', service('a', 82));
    await until(() => names().length === 1);
    expect(names()).toEqual(['a:82']);
    expect(complaints()).toEqual([]);
  });

  test('files and folders that come, move and go', async () => {
    open();
    mkdirSync(join(folder, 'one/two'), { recursive: true });
    write('one/two/a.yaml', service('a'));
    await until(() => names().length === 1);
    write('one/two/b.yaml', service('b'));
    await until(() => names().length === 2);
    renameSync(join(folder, 'one'), join(folder, 'three'));
    await until(() => source.list().every(({ source: place }) => place?.file.includes('three')));
    expect(names()).toEqual(['a:80', 'b:80']);
    write('three/two/b.yaml', service('b', 81));
    await until(() => names()[1] === 'b:81');
    rmSync(join(folder, 'three'), { recursive: true });
    await until(() => names().length === 0);
  });

  test('a file that is replaced by deleting and writing it is never away', async () => {
    write('a.yaml', service('a'));
    open();
    unlinkSync(join(folder, 'a.yaml'));
    await new Promise((resolve) => setTimeout(resolve, 8));
    write('a.yaml', service('a', 81));
    await until(() => names()[0] === 'a:81');
    expect(told()).toEqual(['a a:80 a:81']);
  });

  test('a mounted ConfigMap, whose link is turned to another folder', async () => {
    const version = (name: string, text: string): void => {
      mkdirSync(join(folder, name));
      write(`${name}/a.yaml`, text);
      symlinkSync(name, join(folder, '..data_tmp'));
      renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    };
    version('..v1', service('a', 1));
    symlinkSync('..data/a.yaml', join(folder, 'a.yaml'));
    open();
    expect(names()).toEqual(['a:1']);
    version('..v2', service('a', 2));
    await until(() => names()[0] === 'a:2');
    expect(told()).toEqual(['a a:1 a:2']);
  });

  test('a folder that is away for a moment loses nothing, and is followed when it is back', async () => {
    write('a.yaml', service('a', 1));
    open();
    renameSync(folder, `${folder}-away`);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(names()).toEqual(['a:1']);
    mkdirSync(folder);
    write('a.yaml', service('a', 2));
    await until(() => names()[0] === 'a:2');
    write('b.yaml', service('b'));
    await until(() => names().length === 2);
    rmSync(`${folder}-away`, { recursive: true });
  });

  test.each(['before', 'while'])(
    'a link that leads back, made %s it is watched, is followed no further',
    async (when) => {
      write('a.yaml', service('a'));
      if (when === 'while') open();
      symlinkSync('.', join(folder, 'loop'));
      if (when === 'before') open();
      rename('b.yaml', service('b'));
      await until(() => names().length === 2);
      expect(complaints()).toEqual([]);
    },
  );
});
