import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Family, MeshNetwork } from '../testing/mesh-network.ts';
import { missingForRoot } from '../testing/pod-network.ts';
import { RedirectedMesh, users } from '../testing/redirected-mesh.ts';
import { selfSigned } from '../testing/secure-mesh.ts';

const envoy = process.env.ENVOY_BIN ?? '';
const missing =
  missingForRoot(['ip', 'nft', 'iptables-nft', 'iptables-legacy', 'nsenter']) ??
  (envoy ? undefined : 'ENVOY_BIN is not set');
if (missing !== undefined) process.stderr.write(`redirection with mutual TLS is left out: ${missing}\n`);
const suite = missing === undefined ? describe : describe.skip;

const backends = {
  'iptables-nft': { FORCE_IPTABLES_BINARY: 'nft' },
  'iptables-legacy': { FORCE_IPTABLES_BINARY: 'legacy' },
  nft: { NATIVE_NFTABLES: 'true' },
} as const;

suite.each(['ipv4', 'ipv6'] as const satisfies readonly Family[])('%s', (family) => {
  let network: MeshNetwork;
  let mesh: RedirectedMesh;
  beforeAll(async () => {
    network = new MeshNetwork(family);
    mesh = await RedirectedMesh.start({ network, authority: await selfSigned('mesh'), envoy });
  });
  afterAll(async () => {
    await mesh?.[Symbol.asyncDispose]();
    network[Symbol.dispose]();
  });

  test.each(Object.entries(backends))(
    '%s: applications talk in plain text, and their proxies by TLS',
    async (_, backend) => {
      const { root, proxy, application } = users;
      // Nobody answers at the service's address, and the application at its own, without rules.
      expect(await mesh.request('client', application, 'service')).toMatchObject([0, expect.any(String)]);
      expect(await mesh.request('control', root, 'pod')).toMatchObject([200, expect.not.stringContaining('peer')]);

      await mesh.redirect('istio-iptables', backend);
      const [status, text] = await mesh.request('client', application, 'service');
      expect([status, text]).toEqual([200, expect.any(String)]);
      expect(JSON.parse(text)).toEqual({
        peer: expect.stringContaining('URI=spiffe://cluster.local/ns/shop/sa/client'),
        from: family === 'ipv4' ? '::ffff:127.0.0.6' : '::6',
      });
      // Plain text from outside of the mesh, from the proxy's user, and what the client's proxy knows no service for.
      expect((await mesh.request('control', root, 'pod'))[0]).toBe(0);
      expect((await mesh.request('client', proxy, 'pod'))[0]).toBe(0);
      expect((await mesh.request('client', application, 'pod'))[0]).toBe(0);

      await mesh.redirect('istio-clean-iptables', backend);
      expect((await mesh.request('control', root, 'pod'))[0]).toBe(200);
    },
  );
});
