import { expect, jest, test } from '@jest/globals';
import { getText, until } from '@kedge/testbed';
import { HOST, SecureMesh, selfSigned } from './testing/secure-mesh.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
jest.setTimeout(90_000);

test('a machine is reached while its agent is connected, also after the control plane was restarted', async () => {
  await using mesh = await SecureMesh.start({
    authority: await selfSigned('root'),
    envoy,
    isMachine: true,
    environment: { PILOT_WORKLOAD_ENTRY_GRACE_PERIOD: '1s' },
  });
  const outcome = () =>
    getText(mesh.urls.fresh, { headers: { host: HOST } }).then(
      (seen) => /URI=([^;]*)/.exec(seen)?.[1] ?? seen,
      (error: unknown) => / answers (\d+)/.exec(String(error))?.[1] ?? String(error),
    );
  const become = (expected: string) => until(expected, async () => (await outcome()) === expected);
  await become('spiffe://cluster.local/ns/shop/sa/client');
  await mesh.controlPlane[Symbol.asyncDispose]();
  expect(await outcome()).toBe('spiffe://cluster.local/ns/shop/sa/client');
  await mesh.startControlPlane();
  await until('both to be connected again', async () => {
    const connected = JSON.stringify(await mesh.controlPlane.debug('connections'));
    return mesh.proxies.every(({ name }) => connected.includes(`${name}.shop`));
  });
  await become('spiffe://cluster.local/ns/shop/sa/client');
  await mesh.proxies[1]![Symbol.asyncDispose]();
  await become('503');
  await until('the entry to be gone', async () => {
    const objects = JSON.stringify(await mesh.controlPlane.debug('configz'));
    return !objects.includes('WorkloadEntry') && objects.includes('WorkloadGroup');
  });
});
