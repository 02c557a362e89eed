import { parseCertificate, uriNames } from '@kedge/security';
import { TestCluster, until } from '@kedge/testbed';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { RunningCa } from './testing/running-ca.ts';

const namespace = 'istio-ca-test';
const names = [`spiffe://mesh.example/ns/${namespace}/sa/reviews`];

const cluster = TestCluster.find('api');
if (typeof cluster === 'string') {
  process.stderr.write(`tests of the authority in a cluster are left out: ${cluster}\n`);
  test.skip('with a real API server', () => undefined);
} else {
  testIn(cluster);
}

function testIn(cluster: TestCluster): void {
  const start = () => RunningCa.start({ flags: { kubeconfig: cluster.kubeconfig, namespace } });
  const tokenFor = (account: string, audience?: string): string => {
    const forWhom = audience === undefined ? [] : ['--audience', audience];
    return cluster.kubectl('create', 'token', account, '-n', namespace, ...forWhom).trim();
  };
  const storedRoots = (): string => {
    const { data } = cluster.get('secret', 'istio-ca-secret', '-n', namespace) as { data: Record<string, string> };
    return Buffer.from(data['root-cert.pem'] ?? '', 'base64').toString();
  };
  const remove = (): void => {
    // No kubelet has the pods, which would tell that they have ended.
    cluster.kubectl('delete', 'pods', '--all', '-n', namespace, '--force', '--grace-period=0');
    cluster.kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--timeout=60s');
  };

  beforeAll(() => {
    remove();
    cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    for (const name of ['reviews', 'gone']) {
      cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
    }
  });
  afterAll(remove);

  test('two servers have one authority, which signs for tokens of service accounts', async () => {
    await using one = await start();
    const roots = storedRoots();
    await using other = await start();
    for (const server of [one, other]) {
      const chain = await server.ask({ names, roots, token: tokenFor('reviews', 'istio-ca') });
      expect(uriNames(parseCertificate(chain[0]!))).toEqual(names);
      expect(chain.at(-1)).toBe(roots);
    }
  });

  test("a node's proxy gets certificates of the pods of its node", async () => {
    const pod = (name: string, node: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: { serviceAccountName: name, nodeName: node, containers: [{ name: 'none', image: 'none' }] },
    });
    for (const name of ['ztunnel', 'elsewhere']) {
      cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
    }
    cluster.apply(pod('ztunnel', 'no-node-1'), pod('reviews', 'no-node-1'), pod('elsewhere', 'no-node-2'));
    await using server = await RunningCa.start({
      flags: { kubeconfig: cluster.kubeconfig, namespace },
      environment: { CA_TRUSTED_NODE_ACCOUNTS: `${namespace}/ztunnel` },
    });
    const bound = ['--bound-object-kind', 'Pod', '--bound-object-name', 'ztunnel'];
    const args = ['create', 'token', 'ztunnel', '-n', namespace, '--audience', 'istio-ca', ...bound];
    const ask = { names: [], roots: storedRoots(), token: cluster.kubectl(...args).trim() };
    const identity = (account: string): string => `spiffe://mesh.example/ns/${namespace}/sa/${account}`;
    const [leaf] = await until('the pods to be known', () => server.ask({ ...ask, impersonated: identity('reviews') }));
    expect(uriNames(parseCertificate(leaf!))).toEqual([identity('reviews')]);
    await expect(server.ask({ ...ask, impersonated: identity('elsewhere') })).rejects.toMatchObject({
      code: 16,
      details: 'request impersonation authentication failure',
    });
  });

  test.each([
    ['for the API server', () => tokenFor('reviews'), 'Kubernetes does not authenticate the token'],
    ['for others', () => tokenFor('reviews', 'vault'), 'Kubernetes does not authenticate the token'],
    [
      'of an account that is gone',
      () => {
        const token = tokenFor('gone', 'istio-ca');
        cluster.kubectl('delete', 'serviceaccount', 'gone', '-n', namespace);
        return token;
      },
      'Kubernetes does not authenticate the token',
    ],
    ['that is none', () => 'x', 'Kubernetes does not authenticate the token'],
  ])('a token %s is refused', async (_, make, problem) => {
    await using server = await start();
    await expect(server.ask({ names, roots: storedRoots(), token: make() })).rejects.toMatchObject({
      code: 16,
      details: `request authenticate failure: ${problem}`,
    });
  });
}
