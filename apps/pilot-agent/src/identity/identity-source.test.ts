import { expect, test } from '@jest/globals';
import { defaultProxyConfig, mergeProxyConfig } from '@kedge/model';
import { readEnvironment } from '../environment.ts';
import { rootFile } from './credential-files.ts';
import { identitySource } from './identity-source.ts';

const source = (config: object, variables: Readonly<Record<string, string>>, isThere = false, workload = false) =>
  identitySource(
    mergeProxyConfig(defaultProxyConfig, config).value,
    readEnvironment(variables).environment,
    { workload },
    () => isThere,
  );

test.each([
  [{}, {}, { kind: 'authority', address: 'istiod.istio-system.svc:15012' }],
  [{}, { CA_ADDR: 'ca.example:15012' }, { kind: 'authority', address: 'ca.example:15012' }],
  [{ discoveryAddress: 'istiod:15010' }, {}, { kind: 'none' }],
  [{ discoveryAddress: 'istiod:15010' }, { CA_ADDR: 'istiod:15012' }, { kind: 'authority', address: 'istiod:15012' }],
])('%j with %j: %j', (config, variables, expected) => {
  expect(source(config, variables)).toEqual(expected);
});

test('what another program serves wins over all else', () => {
  expect(source({}, { FILE_MOUNTED_CERTS: 'true' }, true, true)).toEqual({ kind: 'socket' });
});

test('files of the platform, and files that are said to be there, win over the authority', () => {
  expect(source({}, {}, true)).toMatchObject({
    files: { chain: expect.stringContaining('workload-spiffe-credentials') },
  });
  expect(source({}, { FILE_MOUNTED_CERTS: 'true' })).toMatchObject({ files: { key: 'etc/certs/key.pem' } });
});

test.each([
  [{ CA_PROVIDER: 'GkeWorkloadCertificate' }, 'private_key.pem'],
  [{ CA_PROVIDER: 'GoogleCAS' }, 'CA_PROVIDER GoogleCAS is not built yet'],
  [{ CA_PROVIDER: 'Acme' }, 'CA_PROVIDER Acme is unknown'],
  [{ CREDENTIAL_FETCHER_TYPE: 'GoogleComputeEngine' }, 'GoogleComputeEngine is not built yet'],
  [{ CREDENTIAL_FETCHER_TYPE: 'Other' }, 'CREDENTIAL_FETCHER_TYPE Other is unknown'],
])('%j is refused: %s', (variables, message) => {
  expect(() => source({}, variables)).toThrow(message);
});

const defaults = { given: '', provisioned: '', fileMounted: false, provider: 'istiod' };

test.each([
  [{}, './var/run/secrets/istio/root-cert.pem'],
  [{ given: 'SYSTEM' }, undefined],
  [{ given: '/my/root.pem', provisioned: '/etc/prov' }, '/my/root.pem'],
  [{ provisioned: '/etc/prov' }, '/etc/prov/root-cert.pem'],
  [{ fileMounted: true }, 'etc/certs/root-cert.pem'],
  [{ provider: 'custom' }, 'etc/certs/root-cert.pem'],
])('the roots with %j are in %s', (settings, path) => {
  expect(rootFile({ ...defaults, ...settings }, () => false)).toBe(path);
});

test.each([
  [{}, 'etc/certs/root-cert.pem'],
  [{ provisioned: '/etc/prov' }, 'etc/certs/root-cert.pem'],
  [{ given: '/my/root.pem' }, '/my/root.pem'],
])('with a root where machines have it, those with %j are in %s', (settings, path) => {
  expect(rootFile({ ...defaults, ...settings }, (file) => file === 'etc/certs/root-cert.pem')).toBe(path);
});
