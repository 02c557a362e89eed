import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { BlockedAddresses } from './blocked-addresses.ts';
import { type FetchSettings, moduleFetcher } from './fetch-module.ts';
import type { ModuleRequest } from './module-cache.ts';
import { parseLocation } from './module-location.ts';
import { credentialsFor } from './registry-credentials.ts';
import { sha256, TestRegistry, wasmModule } from './testing/test-registry.ts';

const module = wasmModule();
let owned: AsyncDisposableStack;
beforeEach(() => {
  owned = new AsyncDisposableStack();
});
afterEach(() => owned.disposeAsync());

function fetch(url: string, request: Partial<ModuleRequest> = {}, settings: Partial<FetchSettings> = {}) {
  const defaults = {
    insecureHosts: new Set<string>(),
    attempts: 3,
    requestTimeoutMs: 1000,
    maxBytes: 100_000,
    blocked: new BlockedAddresses(),
    dockerConfig: '/does/not/exist',
  };
  const policy = 'UNSPECIFIED_POLICY' as const;
  const common = { url, checksum: '', resource: 'r', version: '1', policy, timeoutMs: 5000 };
  return moduleFetcher({ ...defaults, ...settings })(parseLocation(url), { ...common, ...request });
}

async function serve(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  owned.defer(() => void server.close().closeAllConnections());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('by HTTP', () => {
  test('a module, with its checksum, after errors that pass and a redirect', async () => {
    let calls = 0;
    const url = await serve((request, response) => {
      calls += 1;
      if (calls === 1) response.writeHead(503).end();
      else if (request.url === '/') response.writeHead(302, { location: '/a.wasm' }).end();
      else response.end(gzipSync(module));
    });
    const { checksum, download } = await fetch(`${url}/`);
    expect(checksum).toBe(sha256(module));
    expect(await download()).toEqual(module);
  });

  test.each([404, 501])('%d is final', async (status) => {
    let calls = 0;
    const url = await serve((_, response) => {
      calls += 1;
      response.writeHead(status).end();
    });
    await expect(fetch(url)).rejects.toThrow(`the status is ${status}`);
    expect(calls).toBe(1);
  });

  test('too large, too slow, or redirected away from HTTP is an error', async () => {
    const large = await serve((_, response) => response.end(Buffer.alloc(200_000)));
    await expect(fetch(large, {}, { attempts: 1 })).rejects.toThrow('larger than');
    const slow = await serve((_, response) => response.flushHeaders());
    await expect(fetch(slow, { timeoutMs: 100 })).rejects.toThrow(/in time|aborted/);
    const away = await serve((_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end());
    await expect(fetch(away, {}, { attempts: 1 })).rejects.toThrow('redirected to file:');
  });

  test('addresses that only the host may ask are refused, also by a redirect', async () => {
    await expect(fetch('http://169.254.169.254/latest', {}, { attempts: 1 })).rejects.toThrow('no module is fetched');
    const url = await serve((_, response) => response.writeHead(302, { location: 'http://[fe80::1]/' }).end());
    await expect(fetch(url, {}, { attempts: 1 })).rejects.toThrow('no module is fetched');
    const blocked = new BlockedAddresses(['127.0.0.0/8']);
    await expect(fetch(url, {}, { attempts: 1, blocked })).rejects.toThrow('no module is fetched');
    const named = url.replace('127.0.0.1', 'localhost');
    await expect(fetch(named, {}, { attempts: 1, blocked })).rejects.toThrow('no module is fetched');
    expect(() => new BlockedAddresses(['10.0.0.0'])).toThrow('no range');
  });
});

describe('from a registry', () => {
  let registry: TestRegistry;
  beforeEach(async () => {
    registry = owned.use(await new TestRegistry().start());
  });
  const image = (reference = ':v1'): string => `oci://${registry.host}/istio/plugin${reference}`;
  const docker = 'application/vnd.docker.distribution.manifest.v2+json';
  const ociManifest = 'application/vnd.oci.image.manifest.v1+json';

  test('the manifest has the checksum, and the layer is fetched when it is wanted', async () => {
    const digest = await registry.pushArchive('v1', module);
    const { checksum, download } = await fetch(image());
    expect(checksum).toBe(digest);
    expect(registry.requests).toEqual(['/v2/istio/plugin/manifests/v1']);
    expect(await download()).toEqual(module);
  });

  test('by digest, from an index, and as a layer of its own', async () => {
    const raw = registry.push('raw', module, 'application/vnd.module.wasm.content.layer.v1+wasm', ociManifest);
    expect(await (await fetch(image(`@sha256:${raw}`))).download()).toEqual(module);
    const other = await registry.pushArchive('arm', wasmModule('arm'));
    registry.pushIndex('many', [
      { digest: other, platform: { os: 'linux', architecture: 'arm64' } },
      { digest: raw, platform: { os: 'linux', architecture: 'amd64' } },
    ]);
    const { checksum, download } = await fetch(image(':many'));
    expect(checksum).toBe(raw);
    expect(await download()).toEqual(module);
  });

  test('images without a module, and what is not there', async () => {
    registry.push('v1', module, 'application/vnd.docker.image.rootfs.foreign', docker);
    await expect((await fetch(image())).download()).rejects.toThrow('no layer of the image holds a module');
    await expect(fetch(image(':other'))).rejects.toThrow('with 404');
  });

  test.each(['basic', 'bearer'] as const)('access: %s', async (access) => {
    registry.access = access;
    await registry.pushArchive('v1', module);
    const { download } = await fetch(image(), { pullSecret: registry.dockerConfig });
    expect(await download()).toEqual(module);
    await expect(fetch(image())).rejects.toThrow(/no credentials|credentials, and there are none|empty token/);
    if (access === 'bearer') expect(registry.requests).toContain('/token?service=s&scope=p');
  });

  test.each(['http://10.0.0.1/token', 'http://metadata.google.internal/', 'file:///etc/passwd'])(
    'a token from %s is not asked for',
    async (realm) => {
      registry.access = 'bearer';
      registry.realm = realm;
      await expect(fetch(image(), { pullSecret: registry.dockerConfig })).rejects.toThrow('realm');
    },
  );

  test('a pull secret that is none is an error that does not show it', async () => {
    await expect(fetch(image(), { pullSecret: 'hunter2' })).rejects.toThrow(/^the pull secret is not JSON$/);
  });
});

test.each([
  ['ghcr.io', { auths: { 'ghcr.io': { username: 'a', password: 'b:c' } } }, { user: 'a', password: 'b:c' }],
  ['ghcr.io', { auths: { 'https://ghcr.io/v2/': { auth: 'YTpiOmM=' } } }, { user: 'a', password: 'b:c' }],
  ['index.docker.io', { auths: { 'https://index.docker.io/v1/': { auth: 'YTpi' } } }, { user: 'a', password: 'b' }],
  ['ghcr.io', { auths: { 'quay.io': { auth: 'YTpi' } } }, {}],
  ['ghcr.io', { auths: { 'ghcr.io': { registrytoken: 't' } } }, { token: 't' }],
  ['ghcr.io', {}, {}],
])('credentials for %s in %j', (registry, config, expected) => {
  expect(credentialsFor(registry, JSON.stringify(config))).toEqual(expected);
});
