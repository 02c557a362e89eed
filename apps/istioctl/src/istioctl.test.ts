import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FakeApiServer } from '@kedge/testbed';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { runIstioctl } from './istioctl.ts';

type Files = Readonly<Record<string, string>>;

/** Runs istioctl in a folder with files. */
async function run(args: readonly string[], files: Files = {}, stdin = '') {
  const directory = mkdtempSync(join(tmpdir(), 'istioctl-'));
  const [out, err]: [string[], string[]] = [[], []];
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    const code = await runIstioctl(args, {
      directory,
      environment: { HOME: directory },
      readStdin: () => stdin,
      write: (text) => void out.push(text),
      writeError: (text) => void err.push(text),
    });
    const written = readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')] as const);
    return { code, out: out.join(''), err: err.join(''), written: new Map(written) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('version', () => {
  test.each([[['version', '--remote=false']], [['version', '--short', '--remote=false']], [['version']]])(
    '%j',
    async (args) => {
      expect(await run(args)).toMatchObject({ code: 0, out: 'client version: dev\n', err: '' });
    },
  );

  test('as a document', async () => {
    const { out } = await run(['version', '-o', 'json', '--remote=false']);
    expect(JSON.parse(out)).toMatchObject({ clientVersion: { version: 'dev' } });
    expect(parse((await run(['version', '-o', 'yaml'])).out)).toMatchObject({ clientVersion: { version: 'dev' } });
  });

  test.each([
    [['nonsense']],
    [['version', '--nope']],
    [['version', '--remote=maybe']],
    [['manifest', 'generate', '-f']],
  ])('a command line that makes no sense: %j', async (args) => {
    expect(await run(args)).toMatchObject({ code: 64, out: '', err: expect.stringMatching(/^Error: /) });
  });

  test('of a cluster is not built', async () => {
    expect(await run(['version', '--remote'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('not built yet'),
    });
  });
});

const POD = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: shop}
spec:
  containers: [{name: web, image: web}]
`;

describe('kube-inject', () => {
  const files = {
    'pods.yaml': `${POD}---\n# a comment stays\nkind: ConfigMap\n`,
    'host.yaml': POD.replace('spec:', 'spec:\n  hostNetwork: true'),
    'yes.yaml': POD.replace('spec:', 'spec:\n  hostNetwork: yes'),
    'off.yaml': POD.replace('shop}', 'shop, labels: {sidecar.istio.io/inject: "false"}}'),
    'template.yaml':
      'spec: {containers: [{name: istio-proxy, image: "{{ .Values.global.hub }}/{{ .MeshConfig.TrustDomain }}"}]}',
    'mesh.yaml': 'trustDomain: td',
    'bad-mesh.yaml': 'accessLogEncoding: [1]',
    'values.yaml': 'global: {hub: here}',
    'operator.yaml': 'spec: {profile: empty, hub: there, meshConfig: {trustDomain: other}}',
  };
  const inputs = [
    '--injectConfigFile',
    'template.yaml',
    '--meshConfigFile',
    'mesh.yaml',
    '--valuesFile',
    'values.yaml',
  ];
  const imageOf = (text: string): unknown =>
    (parseAllDocuments(text)[0]?.toJS() as { spec: { containers: { image: string }[] } }).spec.containers[1]?.image;

  test('pods get the template, other documents stay as they were written', async () => {
    const { code, out, err } = await run(['kube-inject', '-f', 'pods.yaml', ...inputs], files);
    expect({ code, err, image: imageOf(out) }).toEqual({ code: 0, err: '', image: 'here/td' });
    expect(out).toContain('---\n# a comment stays\nkind: ConfigMap\n---\n');
  });

  test('standard input and a file as output; values and mesh of an IstioOperator', async () => {
    const args = [
      'kube-inject',
      '-f',
      '-',
      '-o',
      'out.yaml',
      '--injectConfigFile',
      'template.yaml',
      '--operatorFileName',
      'operator.yaml',
    ];
    const { code, out, written } = await run(args, files, POD);
    expect({ code, out, image: imageOf(written.get('out.yaml') ?? '') }).toEqual({
      code: 0,
      out: '',
      image: 'there/other',
    });
  });

  test.each([
    ['host.yaml', '\n===> Skipping injection because Pod "shop/web" has host networking enabled\n\n'],
    ['yes.yaml', '\n===> Skipping injection because Pod "shop/web" has host networking enabled\n\n'],
    ['off.yaml', '\n===> Skipping injection because Pod "shop/web" has sidecar injection disabled\n\n'],
  ])('%s stays as it is, which is told', async (file, err) => {
    const result = await run(['kube-inject', '-f', file, ...inputs], files);
    expect(result).toMatchObject({ code: 0, err });
    expect(result.out).not.toContain('istio-proxy');
  });

  test.each([
    [
      ['--meshConfigMapName', ''],
      '2 errors occurred:\n\t* filename not specified (see --filename or -f)\n\t* --meshConfigFile or',
    ],
    [['-f', 'pods.yaml'], 'there is no configuration of a cluster at '],
    [['-f', 'pods.yaml', '--meshConfigFile', 'mesh.yaml'], 'Use --injectConfigFile or re-run kube-inject'],
    [['-f', 'pods.yaml', '-c', 'none'], 'could not read valid configmap "istio" from namespace "istio-system": '],
    [['-f', 'none.yaml', ...inputs], 'open none.yaml: no such file or directory'],
    [['-f', 'pods.yaml', ...inputs, '--meshConfigFile', 'bad-mesh.yaml'], 'could not read mesh configuration: '],
  ])('%j is refused', async (args, message) => {
    const { code, out, err } = await run(['kube-inject', ...args], files);
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(message) });
  });
});

describe('kube-inject by what is installed in a cluster', () => {
  let server: FakeApiServer;
  const put = (name: string, data: Files) =>
    server.objects.set(`/api/v1/namespaces/mesh/configmaps/${name}`, { metadata: { name }, data });
  beforeEach(async () => {
    server = await FakeApiServer.start();
    put('istio-r1', { mesh: 'trustDomain: td' });
    put('istio-sidecar-injector-r1', {
      config:
        'templates: {sidecar: "spec: {containers: [{name: istio-proxy, image: {{ .Values.global.hub }}/{{ .MeshConfig.TrustDomain }}}]}"}',
      values: '{"global": {"hub": "here"}}',
    });
  });
  afterEach(() => server[Symbol.asyncDispose]());
  const inject = (...args: readonly string[]) =>
    run(['kube-inject', '-f', 'pod.yaml', '-i', 'mesh', '-c', server.kubeconfig, ...args], {
      'pod.yaml': POD,
      'mesh.yaml': 'trustDomain: own',
    });

  test('config maps of the revision are read', async () => {
    const { code, out, err } = await inject('-r', 'r1');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('image: here/td');
    expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(server.objects.keys()));
  });

  test('what a file says is not asked for', async () => {
    expect((await inject('-r', 'r1', '--meshConfigFile', 'mesh.yaml')).out).toContain('image: here/own');
    expect(server.requests.map(({ path }) => path).filter((path) => path.endsWith('istio-r1'))).toEqual([]);
  });

  test.each([
    [
      [],
      'Error: could not read valid configmap "istio" from namespace "mesh": configmaps "istio" not found - Use --meshConfigFile',
    ],
    [['-r', 'r1', '--injectConfigMapName', 'other'], 'configmap "other-r1" from namespace "mesh"'],
    [['-r', 'r1', '--context', 'other'], 'context "other" does not exist in '],
    [
      ['-r', 'r1', '--meshConfigMapName', 'istio-sidecar-injector'],
      'missing configuration map key "mesh" in "istio-sidecar-injector-r1"',
    ],
  ])('%j is refused', async (args, message) => {
    const { code, err } = await inject(...args);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(message) });
  });
});

describe('validate', () => {
  const service = (port: string): string =>
    `apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: ns}\nspec: {ports: [${port}]}\n`;
  const virtualService = (weight: number, more = ''): string =>
    `apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: v}\n${more}` +
    `spec: {hosts: [h], http: [{route: [{destination: {host: h}, weight: ${weight}}]}]}\n`;
  const files = {
    'good.yaml': `${virtualService(100)}---\nkind: Other\n`,
    'bad.yaml': virtualService(-15),
    'top.yaml': virtualService(1, 'junk: 1\n'),
    'field.yaml': virtualService(1).replace('hosts:', 'hots: [h], hosts:'),
    'twice.yaml': virtualService(1, 'kind: A\n'),
    'operator.yaml': 'apiVersion: install.istio.io/v1alpha1\nkind: IstioOperator\nspec: {huub: x}\n',
    'service.yaml': service(
      '{port: 80, name: http-web}, {port: 53, protocol: UDP, name: x}, {port: 1, appProtocol: tcp}',
    ),
    'unnamed.yaml': service('{port: 80}'),
    'odd.yaml': service('{port: 80, name: web}'),
    'deployment.yaml': 'kind: Deployment\nmetadata: {name: d}\nspec: {template: {metadata: {labels: {app: a}}}}\n',
    'warn.yaml':
      'apiVersion: networking.istio.io/v1\nkind: DestinationRule\nmetadata: {name: d}\n' +
      'spec: {host: h, trafficPolicy: {outlierDetection: {consecutiveErrors: 1}}}\n',
    'folder/a.yaml': virtualService(1),
    'folder/b.txt': 'no: [yaml',
    'folder/c/d.json': JSON.stringify({ kind: 'Other' }),
  };

  test.each([
    [['good.yaml'], '"good.yaml" is valid\n'],
    [['good.yaml,service.yaml'], '"good.yaml" is valid\n"service.yaml" is valid\n'],
    [['folder'], '"folder/a.yaml" is valid\n"folder/c/d.json" is valid\n'],
    [['deployment.yaml'], /^deployment "d\/\/?:" may not provide Istio metrics and telemetry labels: map\["app":"a"\]/],
    [['warn.yaml'], /^"warn.yaml" has warnings: \n\t\* DestinationRule\/\/d: /],
  ])('%j is fine', async (names, err) => {
    const result = await run(['validate', ...names.flatMap((name) => ['-f', name])], files);
    expect(result).toMatchObject({ code: 0, out: '' });
    expect(result.err).toEqual(typeof err === 'string' ? err : expect.stringMatching(err));
  });

  test('standard input', async () => {
    expect(await run(['v', '-f', '-'], {}, virtualService(100))).toMatchObject({
      code: 0,
      err: 'validation succeed\n',
    });
  });

  test.each([
    [[], 'Error: you must specify resources by --filename.'],
    [
      ['-f', 'none.yaml'],
      'Error: 1 error occurred:\n\t* cannot stat file "none.yaml": stat none.yaml: no such file or directory\n\n',
    ],
    [['-f', 'bad.yaml', '-f', 'warn.yaml'], '"warn.yaml" has warnings: '],
    [
      ['-f', 'bad.yaml', '-f', 'good.yaml'],
      'Error: 1 error occurred:\n\t* VirtualService//v: spec.http[0].route[0].weight: ',
    ],
    [['-f', 'top.yaml'], 'VirtualService//v: unknown field "junk"'],
    [['-f', 'field.yaml'], 'unknown field "hots"; did you mean "hosts"?'],
    [['-f', 'twice.yaml'], 'failed to decode file twice.yaml: line 4: key "kind" already set in map'],
    [['-f', 'operator.yaml'], 'IstioOperator//: could not unmarshal: json: unknown field "huub" (spec.huub)'],
    [['-f', 'unnamed.yaml'], 'service "s/ns/:" has an unnamed port. This is not recommended, See https://istio.io/'],
    [
      ['-f', 'odd.yaml'],
      'service "s/ns/:" port "web" does not follow the Istio naming convention. See https://istio.io/',
    ],
  ])('%j is refused', async (args, err) => {
    const result = await run(['validate', ...args], files);
    expect(result).toMatchObject({ code: 1, out: '' });
    expect(result.err).toContain(err);
  });

  test('objects of the control plane itself keep no conventions', async () => {
    expect((await run(['validate', '-i', 'ns', '-f', 'odd.yaml'], files)).code).toBe(0);
  });
});

/** A package with a chart of a few lines in place of each of the real ones. */
const chart = (name: string, template: string): Files => ({
  [`p/charts/${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name.split('/').at(-1)}\nversion: 1.0.0\n`,
  [`p/charts/${name}/templates/a.yaml`]: template,
});
const named = (kind: string, apiVersion = 'v1', rest = ''): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x, namespace: "{{ .Release.Namespace }}"}\n${rest}`;
const PACKAGE = {
  ...chart('base', `${named('Service')}---\n${named('ConfigMap', 'v1', 'data: {hub: "{{ .Values.global.hub }}"}\n')}`),
  ...chart(
    'istio-control/istio-discovery',
    named('Deployment', 'apps/v1', 'spec: {replicas: 1}\n').replace('name: x', 'name: istiod'),
  ),
  ...chart(
    'gateways/istio-ingress',
    named('Service').replace('name: x', 'name: "{{ (index .Values.gateways "istio-ingressgateway").name }}"'),
  ),
  'p/charts/base/templates/NOTES.txt': '{{ if .Values.old }}WARNING: old is old{{ end }}',
  'p/profiles/default.yaml':
    'spec: {hub: h, components: {pilot: {enabled: true}, ingressGateways: [{name: in, enabled: true}]}}',
  'p/profiles/none.yaml': 'spec: {components: {base: {enabled: false}, pilot: {enabled: false}, ingressGateways: []}}',
};
const listed = (text: string): readonly string[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as { kind: string; metadata: { name: string; namespace: string } } | null)
    .flatMap((object) => (object ? [`${object.kind} ${object.metadata.namespace}/${object.metadata.name}`] : []));

describe('manifest generate', () => {
  const generate = (args: readonly string[], files: Files = {}) =>
    run(['manifest', 'generate', '-d', 'p', ...args], { ...PACKAGE, ...files });

  test('objects come in the order in which they are applied', async () => {
    const { code, out, err } = await generate(['--set', 'values.global.istioNamespace=mesh']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(listed(out)).toEqual(['ConfigMap mesh/x', 'Deployment mesh/istiod', 'Service mesh/in', 'Service mesh/x']);
  });

  test.each([
    [['--set', 'profile=none'], {}, []],
    [
      ['-f', 'a.yaml'],
      { 'a.yaml': 'spec: {profile: none, components: {base: {enabled: true}}}' },
      ['ConfigMap istio-system/x', 'Service istio-system/x'],
    ],
    [
      ['-f', 'a.yaml', '-s', 'components.ingressGateways.[name:g].enabled=false'],
      { 'a.yaml': 'spec: {profile: none, components: {ingressGateways: [{name: g}, {name: f, namespace: ns}]}}' },
      ['Service ns/f'],
    ],
  ])('%j', async (args, files, expected) => {
    const { out } = await generate(args, files as unknown as Files);
    expect(listed(out)).toEqual(expected);
  });

  test('settings of k8s and overlays change what charts give; an overlay that leads nowhere is told', async () => {
    const operator = `
spec:
  components:
    base: {enabled: false}
    ingressGateways: []
    pilot:
      k8s:
        replicaCount: 3
        nodeSelector: {a: b}
        overlays:
        - kind: Deployment
          name: istiod
          patches: [{path: spec.paused, value: true}, {path: "spec.list.[name:x]", value: 1}]`;
    const { code, out, err } = await generate(['-f', 'a.yaml'], { 'a.yaml': operator });
    expect(code).toBe(0);
    expect(parse(out.replace(/---\n$/, ''))).toMatchObject({
      spec: { replicas: 3, paused: true, template: { spec: { nodeSelector: { a: 'b' } } } },
    });
    expect(err).toBe(
      '❗ components.pilot.k8s.overlays: Deployment istiod: path spec.list.[name:x]: element [name:x] not found\n',
    );
  });

  test('what a chart warns of is told', async () => {
    const { err } = await generate(['-f', 'a.yaml'], { 'a.yaml': 'spec: {unvalidatedValues: {old: true}}' });
    expect(err).toBe('❗ old is old\n');
  });

  test('into a file', async () => {
    const { code, out, written } = await generate(['-o', 'out.yaml']);
    expect({ code, out }).toEqual({ code: 0, out: '' });
    expect(written.get('out.yaml')).toMatch(/\n---\n$/);
  });

  test.each([
    [['--set', 'huub=x'], 'Error: could not unmarshal: json: unknown field "huub" (spec.huub); did you mean "hub"?\n'],
    [['--set', 'profile=nope'], 'Error: profile "nope" not found'],
    [['--set', 'components.cni.enabled=true'], 'Error: there is no chart istio-cni for component Cni\n'],
    [['-f', '-', '-f', 'a.yaml'], 'Error: stdin is only allowed as the last filename\n'],
    [
      ['-o', 'none/out.yaml'],
      'Error: write manifest to "none/out.yaml": open none/out.yaml: no such file or directory\n',
    ],
    [['--cluster-specific'], 'not built yet'],
    [['x'], 'Error: generate accepts no positional arguments, got []string{"x"}\n'],
  ])('%j is refused', async (args, message) => {
    const { code, out, err } = await generate(args);
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(message) });
  });

  test('--force goes on in spite of errors, which are told', async () => {
    const { code, err } = await generate(['--force', '--set', 'values.global.nope=1']);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^spec invalid; continuing because of --force: .*"nope"/),
    });
  });

  test('a package without charts is an error', async () => {
    expect((await run(['manifest', 'generate', '-d', 'q'])).err).toMatch(
      /^Error: there are no charts at .*q\/charts\n$/,
    );
  });
});

test('manifest translate writes values, scripts and what differs', async () => {
  const args = ['manifest', 'translate', '-d', 'p', '-o', '.', '-s', 'components.pilot.k8s.replicaCount=2'];
  const { code, out, written } = await run(args, PACKAGE);
  expect({ code, out }).toEqual({ code: 0, out: 'Output written to .! See the README.md for next steps\n' });
  expect(parse(written.get('base-values.yaml') ?? '')).toMatchObject({ global: { hub: 'h' } });
  expect(written.get('install-pilot.sh')).toMatch(
    /kubectl label Deployment\.apps --namespace=istio-system istiod app\.kubernetes\.io\/managed-by=Helm\n[^]*helm upgrade --install pilot --namespace istio-system -f pilot-values\.yaml .*istio-discovery\n$/,
  );
  expect(written.get('diff-pilot-istioctl-output.yaml')).toContain('replicas: 2');
  expect(written.get('README.md')).toMatch(
    /✅ \*\*Component `pilot`[^]*diff diff-pilot-helm-output.yaml[^]*❌ \*\*Component `in`/,
  );
  expect(written.has('diff-base-helm-output.yaml')).toBe(false);
});
