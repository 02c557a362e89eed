import { credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { TYPE_URLS } from '@kedge/networking';
import { TestCluster, until } from '@kedge/testbed';
import { AdsClient } from '../testing/ads-client.ts';
import { RunningDiscovery } from '../testing/running-discovery.ts';

const namespace = 'discovery-test';
const rootsName = 'discovery-test-roots';

const cluster = TestCluster.find('api');
if (typeof cluster === 'string') {
  process.stderr.write(`tests of identity in a cluster are left out: ${cluster}\n`);
  test.skip('with a real API server', () => undefined);
} else {
  testIn(cluster);
}

function testIn(cluster: TestCluster): void {
  let server: RunningDiscovery;
  const makeNamespace = (name: string): void =>
    cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const remove = (...names: readonly string[]): unknown =>
    cluster.kubectl('delete', 'namespace', ...names, '--ignore-not-found', '--timeout=60s');
  const rootsOf = (name: string): string =>
    cluster.kubectl('get', 'configmap', rootsName, '-n', name, '-o', 'jsonpath={.data.root-cert\\.pem}');

  beforeAll(async () => {
    remove(namespace, `${namespace}-later`);
    makeNamespace(namespace);
    cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'web', namespace } });
    server = await RunningDiscovery.start({}, undefined, {
      flags: { secureGRPCAddr: { host: '127.0.0.1', port: 0 }, kubeconfig: cluster.kubeconfig, namespace },
      environment: { PILOT_CA_CERT_CONFIGMAP: rootsName, ROOT_CA_DIR: '/nowhere' },
    });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    const all = ['-A', '--field-selector', `metadata.name=${rootsName}`];
    const places = cluster.kubectl('get', 'configmap', ...all, '-o', 'jsonpath={.items[*].metadata.namespace}');
    for (const place of places.split(' ').filter(Boolean))
      cluster.kubectl('delete', 'configmap', rootsName, '-n', place);
    remove(namespace, `${namespace}-later`);
  });

  test('a proxy is known by the token of its service account, and verifies us by the roots that its namespace has', async () => {
    const roots = await until('the roots', () => rootsOf(namespace) || undefined);
    const subscribe = async (account: string, audience: string): Promise<number> => {
      const token = cluster.kubectl('create', 'token', account, '-n', namespace, '--audience', audience).trim();
      const metadata = new Metadata();
      metadata.set('authorization', `Bearer ${token}`);
      const call = credentials.createFromMetadataGenerator((_, done) => done(null, metadata));
      const channel = credentials.combineChannelCredentials(credentials.createSsl(Buffer.from(roots)), call);
      const node = {
        id: `sidecar~10.0.0.9~web-1.${namespace}~${namespace}.svc.cluster.local`,
        metadata: { NAMESPACE: namespace, SERVICE_ACCOUNT: 'web' },
      };
      using client = new AdsClient(server.ports.secureGrpc, 'delta', node, channel);
      return (await client.subscribe(TYPE_URLS.CDS)).length;
    };
    expect(await subscribe('web', 'istio-ca')).toBeGreaterThan(0);
    await expect(subscribe('web', 'vault')).rejects.toMatchObject({ code: 16 });
    await expect(subscribe('default', 'istio-ca')).rejects.toMatchObject({ code: 7 });
  });

  test('a namespace that is made later has the roots too, and again where they were deleted', async () => {
    makeNamespace(`${namespace}-later`);
    const later = () => until('the roots', () => rootsOf(`${namespace}-later`) || undefined);
    expect(await later()).toBe(rootsOf(namespace));
    cluster.kubectl('delete', 'configmap', rootsName, '-n', `${namespace}-later`);
    expect(await later()).toBe(rootsOf(namespace));
  });
}
