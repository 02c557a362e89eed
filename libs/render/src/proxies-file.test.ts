import { expect, test } from '@jest/globals';
import { parseProxiesFile } from './proxies-file.ts';

const web = 'name: web, node: sidecar~10.0.0.1~web.shop~shop.svc.cluster.local';

test('proxies with what they tell of themselves', () => {
  const { proxies, environment, diagnostics } = parseProxiesFile(
    `proxies: [{${web}, metadata: {NAMESPACE: other}, locality: r/z/s}]\nenv: {PILOT_ENABLE_AMBIENT: true}\n`,
  );
  expect(proxies).toMatchObject([
    { name: 'web', proxy: { configNamespace: 'other', locality: { region: 'r', zone: 'z', subzone: 's' } } },
  ]);
  expect(environment).toEqual({ PILOT_ENABLE_AMBIENT: 'true' });
  expect(diagnostics).toEqual([]);
});

test.each([
  ['', 'proxies', 'must be a list of proxies'],
  [`- {${web}}`, 'proxies', 'must be a list of proxies'],
  [`proxies: {${web}}`, 'proxies', 'must be a list of proxies'],
  [`proxies: [{${web}}]\nenvironment: {A: b}`, 'environment', 'is no field of this file'],
  [`proxies: [{${web}, metdata: {}}]`, 'proxies[0].metdata', 'is no field of this file'],
  [`proxies: [{${web}}, {${web}}]`, 'proxies[1]', 'another proxy has the name "web" already'],
  ['proxies: [{name: ../x}]', 'proxies[0]', 'needs a name that can be that of a folder'],
  ['proxies: [{name: x}]', 'proxies[0]', 'node id "" is not of the form type~address~id~domain'],
])('%s is said to be wrong', (text, field, message) => {
  expect(parseProxiesFile(text, 'p.yaml').diagnostics).toMatchObject([{ severity: 'error', field, message }]);
});
