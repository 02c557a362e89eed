import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { MemorySource } from '@kedge/config';
import type { Config, JWTRule } from '@kedge/model';
import { TYPE_URLS } from '@kedge/networking';
import { readScenario } from '@kedge/render';
import { until } from '@kedge/testbed';
import { AdsClient } from '../testing/ads-client.ts';
import { LivePlane } from '../testing/live-plane.ts';
import { KeySets } from './key-sets.ts';

/** The key of RFC 8037, for proxies get none that they can't use. */
const KEY = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
const keySet = (kid: string): string => JSON.stringify({ keys: [{ ...KEY, kid }] });

/** Key sets by place; a place without one doesn't answer until the test is over. */
let answers: Record<string, string>;
let asked: string[];
let over: AbortController;
beforeEach(() => {
  answers = {};
  asked = [];
  over = new AbortController();
});
afterEach(() => over.abort());

const fetchText = (url: string): Promise<string> => {
  asked.push(url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  over.signal.addEventListener('abort', () => reject(new Error('no answer')));
  const answer = answers[url];
  if (answer !== undefined) resolve(answer);
  return promise;
};

const keySetsOf = (source: MemorySource, concerns: (rule: JWTRule) => boolean = () => true, refreshInterval = 1e6) =>
  new KeySets({ source, concerns, refreshInterval, fetchText, observe: () => undefined });

interface Mesh {
  readonly settings: ReturnType<typeof readScenario>['settings'];
  readonly objects: readonly Config[];
}

function mesh(...manifests: readonly string[]): Mesh {
  return readScenario({
    manifests: [{ name: 'input.yaml', text: manifests.join('\n---\n') }],
    proxies: { name: 'proxies.yaml', text: 'proxies: []\nenv: {PILOT_DEBOUNCE_AFTER: 1ms}' },
  });
}

const policy = (namespace: string, rules: string): string =>
  `{apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: jwt, namespace: ${namespace}}, spec: {jwtRules: [${rules}]}}`;

test("only keys that rules name, and don't hold themselves, are fetched", () => {
  const { objects } = mesh(
    policy(
      'a',
      `{issuer: one, jwksUri: "https://one/keys"}, {issuer: "https://two"}, {issuer: three, jwks: '${keySet('x')}'}`,
    ),
    policy('b', '{issuer: one, jwksUri: "https://one/keys"}, {issuer: four, jwksUri: "https://elsewhere"}'),
  );
  using _ = keySetsOf(new MemorySource(objects), ({ jwksUri }) => jwksUri !== 'https://elsewhere');
  expect(asked).toEqual(['https://one/keys', 'https://two/.well-known/openid-configuration']);
});

test('keys are told as they come, and as nobody names them any more', async () => {
  const source = new MemorySource();
  using sets = keySetsOf(source);
  const told: string[] = [];
  using _ = sets.subscribe((place, keys) => told.push(`${place} ${keys ?? 'left'}`));
  answers['https://one/keys'] = keySet('one');
  const [one] = mesh(policy('a', '{issuer: one, jwksUri: "https://one/keys"}')).objects;
  source.put(one!);
  await sets.tried(one!);
  expect(sets.tried(one!)).toBeUndefined();
  expect(told).toEqual([`https://one/keys ${keySet('one')}`]);
  source.put(...mesh(policy('a', '{issuer: one, jwksUri: "https://two/keys"}')).objects);
  expect(told.at(-1)).toBe('https://one/keys left');
  expect(sets.tried(one!)).toBeInstanceOf(Promise);
  source.delete(one!);
  expect(sets.tried(one!)).toBeUndefined();
});

/** A sidecar of a namespace, with a service so that it has an inbound chain. */
const workload = (namespace: string, address: string): readonly string[] => [
  `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: ${namespace}}, spec: {clusterIP: 10.96.0.${namespace.charCodeAt(0)}, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}}`,
  `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: ${namespace}, labels: {app: web}}, spec: {containers: [{name: app}]}, status: {phase: Running, podIP: ${address}, podIPs: [{ip: ${address}}], conditions: [{type: Ready, status: "True"}]}}`,
  `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web, namespace: ${namespace}, labels: {kubernetes.io/service-name: web}}, addressType: IPv4, ports: [{name: http, port: 8080, protocol: TCP}], endpoints: [{addresses: [${address}], conditions: {ready: true}, targetRef: {kind: Pod, name: web, namespace: ${namespace}}}]}`,
];
const node = (namespace: string, address: string) => ({
  id: `sidecar~${address}~web.${namespace}~${namespace}.svc.cluster.local`,
  metadata: { NAMESPACE: namespace, LABELS: { app: 'web' } },
});

/** Which key the inbound listener verifies tokens by. */
async function inboundKey(plane: LivePlane, namespace: string, address: string): Promise<string | undefined> {
  using client = new AdsClient(plane.port, 'delta', node(namespace, address));
  const listeners = await client.subscribe(TYPE_URLS.LDS);
  const inbound = listeners.find(({ name }) => name === 'virtualInbound');
  return /"kid":"(\w+)"/.exec(inbound?.any.toString() ?? '')?.[1];
}

test('proxies verify tokens by the keys, and hear of others where they read them', async () => {
  const { settings, objects } = mesh(
    ...workload('a', '10.0.0.1'),
    ...workload('b', '10.0.0.2'),
    policy('a', '{issuer: one, jwksUri: "https://one/keys"}'),
  );
  answers['https://one/keys'] = keySet('one');
  await using plane = await LivePlane.start({
    settings,
    objects,
    keySets: async (source) => {
      const sets = keySetsOf(source, undefined, 50);
      await sets.allTried();
      return sets;
    },
  });
  expect(await inboundKey(plane, 'a', '10.0.0.1')).toBe('one');

  using concerned = new AdsClient(plane.port, 'delta', node('a', '10.0.0.1'));
  using other = new AdsClient(plane.port, 'delta', node('b', '10.0.0.2'));
  await concerned.subscribe(TYPE_URLS.LDS);
  await other.subscribe(TYPE_URLS.LDS);
  answers['https://one/keys'] = keySet('two');
  const [listener] = await concerned.next();
  expect(listener?.any.toString()).toContain('"kid":"two"');
  const pushed = plane.events('sent').filter(({ reason }) => reason === 'push');
  expect(pushed.map(({ connection }) => connection.client.proxy.id)).toEqual(['web.a']);
});

test('a policy takes effect with its keys, others without waiting for them', async () => {
  const { settings, objects } = mesh(...workload('a', '10.0.0.1'), ...workload('b', '10.0.0.2'));
  await using plane = await LivePlane.start({ settings, objects, keySets: (source) => keySetsOf(source) });
  answers['https://two/keys'] = keySet('two');
  plane.source.put(
    ...mesh(
      policy('a', '{issuer: one, jwksUri: "https://silent/keys"}'),
      policy('b', '{issuer: two, jwksUri: "https://two/keys"}'),
    ).objects,
  );
  await until('the policy', async () => (await inboundKey(plane, 'b', '10.0.0.2')) === 'two');
  using client = new AdsClient(plane.port, 'delta', node('a', '10.0.0.1'));
  await client.subscribe(TYPE_URLS.LDS);
  over.abort();
  // Its keys are those of nobody: the server has failed.
  const [listener] = await client.next();
  expect(listener?.any.toString()).toContain('0xObjM0UvS');
});
