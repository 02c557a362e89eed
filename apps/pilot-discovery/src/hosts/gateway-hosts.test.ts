import { expect, test } from '@jest/globals';
import { MemorySource } from '@kedge/config';
import { parseMeshNetworks } from '@kedge/model';
import { createLogging, defaultLoggingOptions } from '@kedge/observability';
import { resolvedHostsSource } from '@kedge/pushcontext';
import { readScenario } from '@kedge/render';
import { until } from '@kedge/testbed';
import { ControlPlane } from '../control-plane.ts';
import { meshGenerators } from '../xds/mesh-generators.ts';
import { GatewayHosts } from './gateway-hosts.ts';

const networksOf = (host: string) =>
  parseMeshNetworks(`networks: {far: {gateways: [{address: ${host}, port: 15443}]}}`).networks;

test('hosts of gateways are resolved as the networks name them, and forgotten with them', async () => {
  const { settings } = readScenario({
    manifests: [],
    proxies: { name: 'proxies.yaml', text: 'proxies: []\nenv: {PILOT_DEBOUNCE_AFTER: 1ms}' },
  });
  await using plane = new ControlPlane({
    settings: { ...settings, networks: networksOf('one.example') },
    source: new MemorySource(),
    generators: meshGenerators(),
  });
  const answers: Readonly<Record<string, string>> = { 'one.example': '10.0.0.1', 'two.example': '10.0.0.2' };
  const log = createLogging(defaultLoggingOptions).scope('model');
  using hosts = new GatewayHosts({
    plane,
    lookup: (host) => Promise.resolve({ addresses: [answers[host] ?? ''], ttlMs: 60_000 }),
    log,
  });
  const known = (host: string) => plane.server.snapshot.snapshot.get(resolvedHostsSource, host);

  await hosts.settled();
  await until('the first answer', () => known('one.example')?.[0] === '10.0.0.1');
  plane.configure({ networks: networksOf('two.example') }, 'networks');
  await until('the second answer', () => known('two.example')?.[0] === '10.0.0.2');
  expect(known('one.example')).toBeUndefined();
});
