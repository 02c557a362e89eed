import { parse } from 'yaml';
import { checkAnnotations } from './annotations.ts';
import { findContainer, mapContainers, moveProxy, orderContainers, PROXY } from './containers.ts';
import { type JsonObject, strategicMerge } from './merge.ts';
import { mergeProxyConfig, type ProxyConfig } from './mesh.ts';
import { applyOverrides, STATUS, withoutInjected } from './overrides.ts';
import type { Container, EnvVar, Pod } from './pod.ts';
import { withProbers } from './probers-env.ts';
import { rewritesProbes } from './probe-setting.ts';
import { rewriteProbes } from './probes.ts';
import { SCRAPE_TARGETS, scrapeConfigOf } from './prometheus.ts';
import { renderTemplates, templateNames } from './render.ts';
import type { InjectionRequest } from './request.ts';

/**
 * The pod as it is after the injection; whether it is to be injected is decided before. `fallback` are the templates of a pod that
 * names none. Throws an AnnotationError, an InjectionError or the TemplateError of a template.
 */
export function injectPod(request: InjectionRequest, fallback: readonly string[]): Pod {
  const { annotations = {} } = request.pod.metadata;
  checkAnnotations(annotations);
  const isNative = nativeSidecarOf(request);
  const written = ownProxyUser(request.pod, request);
  const proxyConfig = mergeProxyConfig(
    request.mesh.defaultConfig ?? {},
    (parse(annotations['proxy.istio.io/config'] ?? '') ?? {}) as ProxyConfig,
  );
  const mode = annotations['sidecar.istio.io/interceptionMode'] ?? proxyConfig.interceptionMode;
  const { proxyUser, ...others } = request;
  const user = proxyUser === undefined || mode === 'TPROXY' ? {} : { proxyUser };
  const rendering = { ...others, ...user, pod: withoutInjected(written), nativeSidecars: isNative };
  const patches = renderTemplates(rendering, templateNames(rendering, fallback), proxyConfig);
  const added = patches.reduce<JsonObject>(strategicMerge, {});
  const isInit = namedIn(added, 'initContainers').includes(PROXY);
  const original = isInit ? moveProxy(written) : written;
  const clean = withoutInjected(original);
  const merged = patches.reduce<JsonObject>(strategicMerge, clean as unknown as JsonObject) as unknown as Pod;
  const overridden = withProxyUser(applyOverrides(merged, original, patches), clean, proxyConfig);
  const statusPort = statusPortOf(request, overridden);
  const monitored = announceSecurePort(
    mergePrometheus(carryOver(withEnvironment(overridden, request), request.pod), request),
  );
  const probed = rewriteAllProbes(monitored, request, statusPort);
  const proxyFirst =
    proxyConfig.holdApplicationUntilProxyStarts ?? request.values.global.proxy.holdApplicationUntilProxyStarts ?? false;
  return withStatus({ ...probed, spec: orderContainers(probed.spec, isNative, proxyFirst) }, added, request.revision);
}

function nativeSidecarOf({ pod, nativeSidecars }: InjectionRequest): boolean {
  const own = pod.metadata.annotations?.['sidecar.istio.io/nativeSidecar'];
  return own === undefined ? nativeSidecars : own === 'true';
}

/**
 * Where a namespace has users of its own, the platform gives every container the same: one that the proxy shares with the application
 * is the platform's wish, not that of its author.
 */
function ownProxyUser(pod: Pod, { proxyUser }: InjectionRequest): Pod {
  if (proxyUser === undefined) return pod;
  const userOf = ({ securityContext }: Container) => (securityContext as SecurityContext | undefined)?.runAsUser;
  const application = new Set(pod.spec.containers?.filter(({ name }) => name !== PROXY).map(userOf));
  return mapContainers(pod, (container) => {
    if (container.name !== PROXY || !application.has(userOf(container))) return container;
    const { runAsUser: _, ...rest } = (container.securityContext ?? {}) as SecurityContext;
    return { ...container, securityContext: rest };
  });
}

interface SecurityContext {
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
}

/** Traffic of the proxy is told by its user: the redirection has to know the one that the user chose. */
function withProxyUser(pod: Pod, original: Pod, { interceptionMode }: ProxyConfig): Pod {
  const chosen = findContainer(original, PROXY)?.securityContext as SecurityContext | undefined;
  const { runAsUser, runAsGroup } = chosen ?? {};
  if (runAsUser === undefined) return pod;
  const mode = pod.metadata.annotations?.['sidecar.istio.io/interceptionMode'] ?? interceptionMode;
  return mapContainers(pod, (container) => {
    const { args = [], securityContext = {} } = container as { args?: readonly string[]; securityContext?: object };
    if (container.name === PROXY && mode === 'TPROXY')
      return { ...container, securityContext: { ...securityContext, runAsUser: 0, runAsNonRoot: false } };
    if (container.name !== 'istio-init' && container.name !== 'istio-validation') return container;
    const at = args.indexOf('-u');
    const adjusted = at < 0 ? container : { ...container, args: args.with(at + 1, String(runAsUser)) };
    if (container.name === 'istio-init') return adjusted;
    return { ...adjusted, securityContext: { ...securityContext, runAsUser, ...(runAsGroup && { runAsGroup }) } };
  });
}

/** Where agents of the mesh serve health and metrics. */
const meshStatusPort = ({ mesh }: InjectionRequest): number => mesh.defaultConfig?.statusPort ?? 15_020;

const statusPortOf = (request: InjectionRequest, { metadata }: Pod): number =>
  Number(metadata.annotations?.['status.sidecar.istio.io/port'] ?? meshStatusPort(request));

const addEnv = (pod: Pod, change: (env: readonly EnvVar[]) => readonly EnvVar[]): Pod =>
  mapContainers(pod, (item) => {
    if (item.name !== PROXY) return item;
    const env = change(item.env ?? []);
    return env.length === 0 && item.env === undefined ? item : { ...item, env };
  });

/** Cluster and network, and what the URL of the webhook says, come before what the template does, and after all else. */
function withEnvironment(pod: Pod, request: InjectionRequest): Pod {
  const environment = proxyEnvironmentOf(request);
  const network = environment[NETWORK];
  const { labels } = pod.metadata;
  const labelled =
    network === undefined
      ? pod
      : { ...pod, metadata: { ...pod.metadata, labels: { ...labels, [NETWORK_LABEL]: network } } };
  return addEnv(labelled, (env) => [
    ...env.filter(({ name }) => environment[name] === undefined),
    ...Object.keys(environment)
      .sort()
      .map((name) => ({ name, value: environment[name] as string })),
  ]);
}

const NETWORK = 'ISTIO_META_NETWORK';
const NETWORK_LABEL = 'topology.istio.io/network';

/** The pod's own label counts most, then the URL, then the installation. */
function proxyEnvironmentOf({
  pod,
  values,
  proxyEnvironment = {},
}: InjectionRequest): Readonly<Record<string, string>> {
  const { multiCluster, network } = values.global;
  const known = {
    ISTIO_META_CLUSTER_ID: proxyEnvironment['ISTIO_META_CLUSTER_ID'] || multiCluster?.clusterName,
    [NETWORK]: pod.metadata.labels?.[NETWORK_LABEL] ?? (proxyEnvironment[NETWORK] || network),
  };
  const stated = Object.entries(known).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return { ...proxyEnvironment, ...Object.fromEntries(stated) };
}

/** What the proxy knows of probes and annotations that an earlier injection replaced, which nobody could tell any more. */
function carryOver(pod: Pod, before: Pod): Pod {
  if (before.metadata.annotations?.[STATUS] === undefined) return pod;
  const kept = (findContainer(before, PROXY)?.env ?? []).filter(({ name }) => CARRIED.has(name));
  return addEnv(pod, (env) => [...env, ...kept.filter(({ name }) => !env.some((other) => other.name === name))]);
}

const CARRIED: ReadonlySet<string> = new Set(['ISTIO_PROMETHEUS_ANNOTATIONS', 'ISTIO_KUBE_APP_PROBERS']);

/** The agent serves the application's metrics with its own: Prometheus is sent there. */
function mergePrometheus(pod: Pod, request: InjectionRequest): Pod {
  const statusPort = meshStatusPort(request);
  const { [SCRAPE_TARGETS]: targets, ...annotations } = pod.metadata.annotations ?? {};
  const isWanted =
    annotations['prometheus.istio.io/merge-metrics'] ?? String(request.mesh.enablePrometheusMerge ?? true);
  const scrape = annotations['prometheus.io/scrape'] ?? annotations['prometheus.io.scrape'];
  if (isWanted === 'false' || scrape === 'false' || annotations['prometheus.io/port'] === String(statusPort))
    return pod;
  const config = scrapeConfigOf({ ...annotations, ...(targets !== undefined && { [SCRAPE_TARGETS]: targets }) });
  const told =
    Object.keys(config).length === 0
      ? pod
      : addEnv(pod, (env) => [
          ...env,
          {
            name: 'ISTIO_PROMETHEUS_ANNOTATIONS',
            value: JSON.stringify({ scrape: '', path: '', port: '', ...config.targets?.[0], ...config }),
          },
        ]);
  const own = {
    'prometheus.io/scrape': 'true',
    'prometheus.io/port': String(statusPort),
    'prometheus.io/path': '/stats/prometheus',
  };
  return { ...told, metadata: { ...told.metadata, annotations: { ...annotations, ...own } } };
}

const SECURE_PORT = 'prometheus.istio.io/secure-port';

/** Tells scrapers of the port on which the agent serves metrics by mutual TLS, if it has one. */
function announceSecurePort(pod: Pod): Pod {
  const { annotations = {} } = pod.metadata;
  const env = findContainer(pod, PROXY)?.env ?? [];
  const port = env.find(({ name }) => name === 'ENVOY_SECURE_MERGED_METRICS_PORT')?.value ?? '0';
  if (port === '' || port === '0' || SECURE_PORT in annotations) return pod;
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...annotations, [SECURE_PORT]: port } } };
}

function rewriteAllProbes(pod: Pod, { values, pod: before }: InjectionRequest, statusPort: number): Pod {
  const { annotations = {} } = pod.metadata;
  const setting = values.sidecarInjectorWebhook?.rewriteAppHTTPProbe ?? true;
  if (statusPort === 0 || !findContainer(pod, PROXY) || !rewritesProbes(annotations, setting)) return pod;
  const probers: Record<string, unknown> = {};
  const rewritten = mapContainers(pod, (container, group) => {
    if (container.name === PROXY || (group === 'initContainers' && container.restartPolicy !== 'Always'))
      return container;
    const result = rewriteProbes(container, statusPort);
    Object.assign(probers, result.probers);
    return result.container;
  });
  const sorted = Object.entries(probers).sort(([a], [b]) => (a < b ? -1 : 1));
  if (sorted.length === 0) return rewritten;
  const wasInjected = before.metadata.annotations?.[STATUS] !== undefined;
  return addEnv(rewritten, (env) => withProbers(env, JSON.stringify(Object.fromEntries(sorted)), wasInjected));
}

/** Names of the elements that the templates, put together as they are in the pod, have in a list of it. */
function namedIn({ spec }: JsonObject, list: string): readonly string[] {
  return (((spec as JsonObject | undefined)?.[list] ?? []) as Container[]).map(({ name }) => name);
}

/** Writes what the templates named into the annotation that tells the next injection. */
function withStatus({ metadata, spec }: Pod, added: JsonObject, revision: string): Pod {
  const named = (list: string) => {
    const names = namedIn(added, list);
    return names.length === 0 ? null : names;
  };
  const status = {
    initContainers: named('initContainers'),
    containers: named('containers'),
    volumes: named('volumes'),
    imagePullSecrets: named('imagePullSecrets'),
    revision: revision || 'default',
  };
  return {
    metadata: { ...metadata, annotations: { ...metadata.annotations, [STATUS]: JSON.stringify(status) } },
    spec,
  };
}
