import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, jest, test } from '@jest/globals';
import { Proxy, until } from '@kedge/testbed';
import { Application } from '../testing/application.ts';
import { FixedControlPlane } from '../testing/fixed-control-plane.ts';

const envoy = process.env['ENVOY_BIN'] ?? '';
if (!envoy) throw new Error('ENVOY_BIN is not set');
jest.setTimeout(60_000);

let owned: AsyncDisposableStack;
let application: Application;
let controlPlane: FixedControlPlane;

beforeAll(async () => {
  owned = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'health-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  application = owned.use(await new Application().start('127.0.0.1'));
  controlPlane = owned.use(await new FixedControlPlane().start());
  await mkdir(join(dir, 'etc/istio/config'), { recursive: true });
  await writeFile(
    join(dir, 'etc/istio/config/mesh'),
    `defaultConfig: {readinessProbe: {periodSeconds: 1, httpGet: {path: /well, port: ${application.port}}}}`,
  );
  const proxy = await Proxy.start({
    name: 'machine',
    namespace: 'shop',
    kind: 'sidecar',
    address: '127.0.0.1',
    labels: {},
    discoveryPort: controlPlane.port,
    envoy,
    dir,
    environment: { ISTIO_META_AUTO_REGISTER_GROUP: 'machines' },
  });
  owned.use(proxy);
  await proxy.ready();
});
afterAll(() => owned.disposeAsync());

const healthType = 'type.googleapis.com/istio.v1.HealthInformation';
const last = () => controlPlane.told.findLast((text) => text.startsWith(healthType));

test('the control plane is told how the workload of a machine is, each time that it changes', async () => {
  await until('it to be well', () => last() === healthType);
  application.isWell = false;
  await until('it to be unwell', () => last() === `${healthType}: the status is 503`);
  application.isWell = true;
  await until('it to be well again', () => last() === healthType);
});
