import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findEnvoy } from './envoy.mjs';
import { generate } from './generate.mjs';
import { findHelm } from './helm.mjs';
import { packagesAreCurrent } from './packages.mjs';

let root: string;
const put = (path: string, content: string, mode = 0o644): string => {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content, { mode });
  return file;
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'set-up-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('packages', () => {
  const wanted = {
    '': {},
    'libs/a': {},
    'node_modules/b': { version: '1.0.0' },
    'node_modules/c-arm': { optional: true },
  };
  const lock = (path: string, packages: object): string => put(path, JSON.stringify({ packages }));

  test.each([
    ['the same', { 'node_modules/b': { version: '1.0.0' } }, true],
    ['another version', { 'node_modules/b': { version: '1.0.1' } }, false],
    ['one is missing', {}, false],
  ])('%s', (_, installed, expected) => {
    lock('package-lock.json', wanted);
    lock('node_modules/.package-lock.json', installed);
    expect(packagesAreCurrent(root)).toBe(expected);
  });

  test('a new package of the workspace', () => {
    lock('package-lock.json', { 'node_modules/@kedge/a': { resolved: 'libs/a', link: true } });
    lock('node_modules/.package-lock.json', {});
    expect(packagesAreCurrent(root)).toBe(true);
    put('libs/a/package.json', '{}');
    expect(packagesAreCurrent(root)).toBe(false);
  });

  test('nothing was installed', () => {
    lock('package-lock.json', wanted);
    expect(packagesAreCurrent(root)).toBe(false);
  });
});

test('code is generated when an input changed or an output is gone, and only then', () => {
  const script =
    "const fs=require('node:fs');fs.mkdirSync('libs/a/generated',{recursive:true});fs.appendFileSync('libs/a/generated/x','1')";
  put('gen.cjs', script);
  put('package.json', JSON.stringify({ scripts: { gen: 'node gen.cjs' } }));
  put('proto/a.proto', 'message A {}');
  const output = join(root, 'libs/a/generated/x');
  const runs = (): number => {
    generate(root);
    return readFileSync(output, 'utf8').length;
  };
  expect(runs()).toBe(1);
  expect(runs()).toBe(1);
  put('proto/a.proto', 'message B {}');
  expect(runs()).toBe(2);
  rmSync(output);
  expect(runs()).toBe(1);
});

describe('Envoy', () => {
  test('is the one of ENVOY_BIN, else of the PATH, else of the cache', () => {
    const cached = put('.cache/envoy-1.40.0/envoy', '', 0o755);
    const onPath = put('bin/envoy', '', 0o755);
    const chosen = put('chosen', '', 0o755);
    const path = `/nowhere:${dirname(onPath)}`;
    expect(findEnvoy(root, { ENVOY_BIN: chosen, PATH: path })).toBe(chosen);
    expect(findEnvoy(root, { PATH: path })).toBe(onPath);
    expect(findEnvoy(root, {})).toBe(cached);
  });

  test('of ENVOY_BIN must be executable', () => {
    const file = put('envoy', '');
    expect(existsSync(file)).toBe(true);
    expect(() => findEnvoy(root, { ENVOY_BIN: file })).toThrow(`ENVOY_BIN=${file} is not an executable file`);
  });
});

test('Helms are those of HELM_BIN, else those of the cache', () => {
  const cached = ['3.18.0', '4.1.4'].map((version) => put(`.cache/helm-${version}/helm`, '', 0o755));
  expect(findHelm(root, { HELM_BIN: '/a/helm:/b/helm' })).toBe('/a/helm:/b/helm');
  expect(findHelm(root, {})).toBe(cached.join(':'));
});
