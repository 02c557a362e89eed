import { type Container, containersOf, type Pod } from './kubernetes/pod.ts';

const proxyContainer = 'istio-proxy';
const initContainer = 'istio-init';
const injectName = 'sidecar.istio.io/inject';
const statusAnnotation = 'sidecar.istio.io/status';

/** Why a pod's traffic is not redirected; undefined if it is. */
export function exclusionOf(pod: Pod): string | undefined {
  const { labels = {}, annotations = {} } = pod.metadata;
  const containers = containersOf(pod);
  const proxy = proxyOf(pod);
  if (pod.spec.hostNetwork) return 'it has the network of its node';
  if (containers.some(({ name }) => name === initContainer)) return `its container ${initContainer} redirects`;
  if (proxy === undefined) return `it has no container ${proxyContainer}`;
  if (isYes(environmentOf(proxy).DISABLE_ENVOY)) return 'its proxy is switched off by DISABLE_ENVOY';
  const role = roleOf(proxy);
  if (role !== undefined && role !== 'sidecar') return `its proxy is a ${role}, not a sidecar`;
  // The label is the newer of the two.
  if (isNo(labels[injectName] ?? annotations[injectName])) return `${injectName} says no`;
  if (!(statusAnnotation in annotations)) return `it was not injected: there is no annotation ${statusAnnotation}`;
  return undefined;
}

export function proxyOf(pod: Pod): Container | undefined {
  return containersOf(pod).find(({ name }) => name === proxyContainer);
}

export function environmentOf({ env = [] }: Container): Readonly<Record<string, string>> {
  return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
}

/** `proxy sidecar`, `proxy router` and so on. */
function roleOf({ args = [] }: Container): string | undefined {
  return args[0] === 'proxy' ? args[1] : undefined;
}

const isYes = (text: string | undefined) => /^(1|t|T|true|TRUE|True)$/.test(text ?? '');
const isNo = (text: string | undefined) => /^(0|f|F|false|FALSE|False)$/.test(text ?? '');
