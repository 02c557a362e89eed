import { expect, test } from '@jest/globals';
import { SINGLE } from '@kedge/config';
import { trustedRootsSource } from '@kedge/pushcontext';
import { meshOf, messagesOf, proxyOf } from './testing/mesh.ts';
import { trustBundle } from './trust-bundle.ts';

test('agents are told the roots of the authority and those of the mesh configuration', () => {
  const push = meshOf('', {
    mesh: 'caCertificates: [{pem: "root B\\n"}, {pem: root A}, {spiffeBundleUrl: https://x}]',
  });
  const rootsOf = (mesh: typeof push) => messagesOf(mesh.evaluate(proxyOf('client'), trustBundle))[''];
  expect(rootsOf(push)).toMatchObject({ caCertificatesPem: ['root A', 'root B'] });
  const next = push.next((edit) => {
    edit.set(trustedRootsSource, SINGLE, ['root C\n', 'root A\n']);
  });
  expect(rootsOf(next)).toMatchObject({ caCertificatesPem: ['root A', 'root B', 'root C'] });
});

test('where there are none they are told nothing', () => {
  expect(meshOf('').evaluate(proxyOf('client'), trustBundle)).toEqual([]);
});
