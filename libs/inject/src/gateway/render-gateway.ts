import { toValue } from '@kedge/go-template';
import { loadAll } from 'js-yaml';
import { injectionFunctions } from '../functions.ts';
import { InjectionError } from '../injection-error.ts';
import { isObject, type Json, type JsonObject } from '../merge.ts';
import type { InjectionMesh, ProxyConfig } from '../mesh.ts';
import type { InjectionValues } from '../request.ts';
import { TemplateCache } from '../template-cache.ts';
import { goView } from '../template-values.ts';
import { customize } from './customize.ts';
import { controllerLabel, type GatewayClass } from './gateway-class.ts';
import type { GatewayListener, ManagedGateway } from './managed-gateway.ts';
import { servicePorts } from './service-ports.ts';

export interface GatewayRequest {
  readonly gateway: ManagedGateway;
  readonly gatewayClass: GatewayClass;
  /** Go templates by name. */
  readonly templates: Readonly<Record<string, string>>;
  readonly values: InjectionValues;
  readonly mesh: InjectionMesh;
  /** What applies to the proxies of the gateway. */
  readonly proxyConfig: ProxyConfig;
  /** Fields of a ProxyConfig that the proxy knows without being told. */
  readonly proxyDefaults: ProxyConfig;
  readonly clusterId: string;
  readonly revision: string;
  /** Listeners beyond those of the gateway itself. */
  readonly listeners?: readonly GatewayListener[];
  /** Data of config maps with customisations: that of the class, then that of the gateway. */
  readonly customizations?: readonly Readonly<Record<string, string>>[];
  /** 100 times the major version and the minor one. */
  readonly kubernetesVersion?: number;
  readonly compliancePolicy?: string;
  /** What earlier gateways left; made anew where it isn't given. */
  readonly cache?: TemplateCache;
  /** User and group of the proxy; 1337 if not given. */
  readonly proxyUser?: number;
  /** Whether labels and annotations of the gateway are those of what is made, where its infrastructure has none. */
  readonly copiesMetadata?: boolean;
  readonly hasQuic?: boolean;
}

/**
 * The objects that serve a gateway: ServiceAccount, Deployment, Service, and HorizontalPodAutoscaler and PodDisruptionBudget where
 * customisations ask for them. Throws an InjectionError, or the TemplateError of the template.
 */
export function renderGateway(request: GatewayRequest): readonly JsonObject[] {
  const { gateway, gatewayClass, templates, customizations = [] } = request;
  const template = templates[gatewayClass.template];
  if (template === undefined) throw new InjectionError(`there is no template "${gatewayClass.template}" for gateways`);
  const names = namesOf(gateway, gatewayClass);
  const functions = functionsFor(request, names);
  const cache = request.cache ?? new TemplateCache(undefined);
  const output = cache.render(gatewayClass.template, template, functions, dataOf(request, names, cache));
  return loadAll(output)
    .map((object) => object as Json)
    .filter(isObject)
    .flatMap((object) => {
      const customized = customize(managed(object, gatewayClass), customizations);
      return customized === undefined ? [] : [customized];
    });
}

interface Names {
  readonly deployment: string;
  readonly serviceAccount: string;
}

function namesOf({ metadata, spec }: ManagedGateway, { hasSuffix }: GatewayClass): Names {
  const { annotations = {}, name } = metadata;
  const byClass = hasSuffix ? `${name}-${spec.gatewayClassName}` : name;
  return {
    deployment: annotations['gateway.istio.io/name-override'] || byClass,
    serviceAccount: annotations['gateway.istio.io/service-account'] || byClass,
  };
}

function functionsFor(request: GatewayRequest, { deployment }: Names) {
  const { gateway, proxyConfig, templates } = request;
  const workload = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: deployment,
    namespace: gateway.metadata.namespace,
  };
  const pod = { metadata: gateway.metadata, spec: {} };
  const config = { policy: 'enabled', templates };
  return injectionFunctions({ ...request, pod, workload, config, nativeSidecars: true }, proxyConfig);
}

/** What templates see: the gateway, its names and ports, the installation. */
function dataOf(request: GatewayRequest, names: Names, cache: TemplateCache) {
  const { gateway, gatewayClass, values, mesh, proxyConfig, proxyUser = 1337 } = request;
  const { metadata, spec } = gateway;
  const listeners = [...(spec.listeners ?? []), ...(request.listeners ?? [])];
  const { annotations = {} } = metadata;
  return toValue({
    Name: metadata.name,
    Namespace: metadata.namespace,
    UID: metadata.uid ?? '',
    Labels: metadata.labels ?? {},
    Annotations: annotations,
    ObjectMeta: goView({ labels: {}, annotations: {}, ...metadata }),
    Spec: goView({ addresses: [], listeners: [], ...spec }),
    GatewayClass: spec.gatewayClassName,
    DeploymentName: names.deployment,
    ServiceAccount: names.serviceAccount,
    Ports: goView(servicePorts(listeners, request.hasQuic === true)),
    ServiceType: annotations['networking.istio.io/service-type'] ?? gatewayClass.serviceType,
    ClusterID: request.clusterId,
    KubeVersion: BigInt(request.kubernetesVersion ?? 132),
    Revision: request.revision,
    NativeSidecars: true,
    ProxyUID: BigInt(proxyUser),
    ProxyGID: BigInt(proxyUser),
    CompliancePolicy: request.compliancePolicy ?? '',
    InfrastructureLabels: infrastructureLabels(request),
    InfrastructureAnnotations: infrastructureAnnotations(request),
    GatewayNameLabel: 'gateway.networking.k8s.io/gateway-name',
    IsEastWestGateway: gatewayClass.controller === 'istio.io/eastwest-controller',
    ControllerLabel: controllerLabel(gatewayClass),
    ProxyConfig: goView({ interceptionMode: 'REDIRECT', proxyMetadata: {}, ...proxyConfig }),
    MeshConfig: cache.meshView(mesh),
    Values: cache.valuesView(values),
  });
}

type Strings = Readonly<Record<string, string>>;

/** What the infrastructure of a gateway says; else what the gateway has itself. */
function infrastructure(request: GatewayRequest, field: 'labels' | 'annotations'): Strings {
  const { metadata, spec } = request.gateway;
  const own = spec.infrastructure?.[field];
  if (own !== undefined) return without(own, (key) => key.startsWith('gateway.networking.k8s.io/'));
  return request.copiesMetadata === false ? {} : (metadata[field] ?? {});
}

const without = (record: Strings, isLeftOut: (key: string) => boolean): Strings =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !isLeftOut(key)));

/** Annotations that are about the gateway itself. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'gateway.istio.io/name-override',
  'gateway.istio.io/service-account',
  'gateway.istio.io/controller-version',
]);

const infrastructureAnnotations = (request: GatewayRequest): Strings =>
  without(infrastructure(request, 'annotations'), (key) => OWN_ANNOTATIONS.has(key));

const DATAPLANE_MODE = 'istio.io/dataplane-mode';
const NETWORK = 'topology.istio.io/network';

/** A gateway is not captured itself unless it asks for that; what serves the mesh belongs to the network of the installation. */
function infrastructureLabels(request: GatewayRequest): Strings {
  const { gatewayClass, gateway, values } = request;
  const { [DATAPLANE_MODE]: mode, [NETWORK]: ownNetwork } = gateway.metadata.labels ?? {};
  const labels = infrastructure(request, 'labels');
  const { network } = values.global;
  if (!gatewayClass.isOfMesh) {
    return mode === undefined && labels[DATAPLANE_MODE] === undefined
      ? { ...labels, [DATAPLANE_MODE]: 'none' }
      : labels;
  }
  if (ownNetwork !== undefined || typeof network !== 'string' || network === '') return labels;
  return { ...labels, [NETWORK]: network };
}

function managed(object: JsonObject, gatewayClass: GatewayClass): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const labels = isObject(metadata.labels) ? metadata.labels : {};
  return {
    ...object,
    metadata: { ...metadata, labels: { ...labels, 'gateway.istio.io/managed': controllerLabel(gatewayClass) } },
  };
}
