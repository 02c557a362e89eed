import { parseFeatures, parseMeshConfig, type Config } from '@kedge/model';
import type { Edit } from '../mesh.ts';
import type { History } from '../history.ts';
import { admit } from '../objects/index.ts';
import { certificates } from '../objects/kubernetes.ts';
import { type Introduction, proxyOf, sidecarAt } from '../proxies.ts';
import { baseMesh, parsed, plainSettings, type VariableSettings } from '../settings.ts';

/** A mesh, proxies of it, and one change; made up so that forgetting certain reads leads somebody astray. */
export interface Situation {
  readonly objects?: readonly Config[];
  readonly settings?: VariableSettings;
  /** What proxies have that a plain sidecar in a pod has not. */
  readonly proxies?: readonly Partial<Introduction>[];
  /** The change: what is put, of objects and settings. Nothing where it is about what tells proxies apart. */
  readonly then?: { readonly objects?: readonly Config[]; readonly settings?: VariableSettings };
}

export function historyOf({ objects = [], settings, proxies = [{}], then = {} }: Situation): History {
  const edits: readonly Edit[] = [
    ...(then.objects ?? []).map((put) => ({ put })),
    ...(then.settings ? [{ settings: then.settings }] : []),
  ];
  const known = proxies.map((proxy) => proxyOf({ ...sidecarAt, ...proxy }));
  return {
    start: { settings: { ...plainSettings, ...settings }, objects },
    steps: [{ edits, sweep: false }],
    // The last connects late: it is for those before it to notice.
    proxies: [...known, ...known.slice(0, 1)],
  };
}

type Metadata = Readonly<Record<string, unknown>>;

/** The object that a manifest makes, at `namespace/name` or a name alone. */
function made(
  { metadata, ...manifest }: { readonly kind: string; readonly metadata?: Metadata; readonly [field: string]: unknown },
  key: string,
): Config {
  const [name = '', namespace] = key.split('/').reverse();
  const object = admit({ ...manifest, metadata: { name, ...(namespace && { namespace }), ...metadata } });
  if (!object) throw new Error(`${manifest.kind} ${key} of a situation is invalid: ${JSON.stringify(manifest)}`);
  return object;
}

/** Makes objects of a kind: from their place, the spec, and further fields. */
const objectsOf =
  (apiVersion: string, kind: string) =>
  (
    key: string,
    spec: object | undefined,
    more: { readonly metadata?: Metadata; readonly [field: string]: unknown } = {},
  ): Config =>
    made({ apiVersion, kind, ...(spec && { spec }), ...more }, key);

const NETWORKING = 'networking.istio.io/v1';
const SECURITY = 'security.istio.io/v1';

export const service = objectsOf('v1', 'Service');
export const secret = (key: string): Config =>
  made({ apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', data: certificates[0] }, key);
export const pod = objectsOf('v1', 'Pod');
export const node = objectsOf('v1', 'Node');
export const namespace = objectsOf('v1', 'Namespace');
export const slice = objectsOf('discovery.k8s.io/v1', 'EndpointSlice');
export const ingress = objectsOf('networking.k8s.io/v1', 'Ingress');
export const serviceEntry = objectsOf(NETWORKING, 'ServiceEntry');
export const workloadEntry = objectsOf(NETWORKING, 'WorkloadEntry');
export const virtualService = objectsOf(NETWORKING, 'VirtualService');
export const destinationRule = objectsOf(NETWORKING, 'DestinationRule');
export const sidecar = objectsOf(NETWORKING, 'Sidecar');
export const gateway = objectsOf(NETWORKING, 'Gateway');
export const envoyFilter = objectsOf('networking.istio.io/v1alpha3', 'EnvoyFilter');
export const authorizationPolicy = objectsOf(SECURITY, 'AuthorizationPolicy');
export const requestAuthentication = objectsOf(SECURITY, 'RequestAuthentication');
export const peerAuthentication = objectsOf(SECURITY, 'PeerAuthentication');
export const telemetry = objectsOf('telemetry.istio.io/v1', 'Telemetry');

export const mesh = (text: string): VariableSettings => {
  const { mesh: value, diagnostics } = parseMeshConfig(text, undefined, baseMesh);
  return { mesh: parsed({ value, diagnostics }) };
};

export const features = (switches: Readonly<Record<string, string>>): VariableSettings => {
  const { features: value, problems } = parseFeatures(switches);
  return { features: parsed({ value, diagnostics: problems }) };
};
