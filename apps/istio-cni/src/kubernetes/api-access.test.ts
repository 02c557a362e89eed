import { describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { TemporaryFolder } from '../testing/temporary-folder.ts';
import { readKubeconfig, serverUrl } from './api-access.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const kubeconfig = (cluster: object, user: object) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'https://10.0.0.1', ...cluster } }],
  users: [{ name: 'u', user }],
  contexts: [
    { name: 'other', context: { cluster: 'none', user: 'none' } },
    { name: 'x', context: { cluster: 'c', user: 'u' } },
  ],
  'current-context': 'x',
});

describe('kubeconfig', () => {
  test.each<[string, object, object]>([
    [
      'a token, and an authority as data',
      kubeconfig({ 'certificate-authority-data': base64('CA') }, { token: 'secret' }),
      { server: 'https://10.0.0.1', authority: 'CA', token: 'secret', skipTlsVerify: false },
    ],
    [
      'certificates in files beside it',
      kubeconfig(
        { 'certificate-authority': 'ca.crt' },
        { 'client-certificate': 'client.crt', 'client-key-data': base64('key') },
      ),
      { authority: 'CA file', clientCertificate: 'client', clientKey: 'key', token: undefined },
    ],
    ['no check of certificates', kubeconfig({ 'insecure-skip-tls-verify': true }, {}), { skipTlsVerify: true }],
  ])('%s', async (_, document, access) => {
    for (const text of [JSON.stringify(document), stringify(document)]) {
      using folder = new TemporaryFolder({ config: text, 'ca.crt': 'CA file', 'client.crt': 'client' });
      expect(await readKubeconfig(folder.at('config'))).toMatchObject(access);
    }
  });

  test.each<[string, string]>([
    ['', 'is not a kubeconfig'],
    ['{"cut', 'is not a kubeconfig'],
    ['[unclosed', 'is not a kubeconfig'],
    [JSON.stringify({ ...kubeconfig({}, {}), 'current-context': 'y' }), 'there is no context "y"'],
    [JSON.stringify({ ...kubeconfig({}, {}), users: [] }), 'there is no user "u"'],
    [JSON.stringify(kubeconfig({ server: undefined }, {})), 'the cluster has no server'],
    [JSON.stringify(kubeconfig({}, { exec: { command: 'aws' } })), 'credentials from a program'],
  ])('%s: %s', async (config, problem) => {
    using folder = new TemporaryFolder({ config });
    await expect(readKubeconfig(folder.at('config'))).rejects.toThrow(problem);
  });
});

test.each([
  [{ host: '10.96.0.1', port: '443', protocol: '' }, 'https://10.96.0.1:443'],
  [{ host: 'fd00::1', port: '6443', protocol: 'https' }, 'https://[fd00::1]:6443'],
])('%j', (address, url) => expect(serverUrl(address)).toBe(url));
