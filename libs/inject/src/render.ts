import { toValue } from '@kedge/go-template';
import { load } from 'js-yaml';
import { injectionFunctions } from './functions.ts';
import { isObject, type Json, type JsonObject } from './merge.ts';
import type { ProxyConfig } from './mesh.ts';
import type { InjectionRequest } from './request.ts';
import { InjectionError } from './injection-error.ts';
import { imageTypeOf, proxyImage } from './proxy-image.ts';
import { TemplateCache } from './template-cache.ts';
import { goView } from './template-values.ts';

const TEMPLATES = 'inject.istio.io/templates';

/** The templates for a pod: those that it names, else the given ones, with aliases replaced. */
export function templateNames({ config, pod }: InjectionRequest, fallback: readonly string[]): readonly string[] {
  const own = pod.metadata.annotations?.[TEMPLATES];
  const wanted = own === undefined ? fallback : own.split(',').map((name) => name.trim());
  return wanted.flatMap((name) => config.aliases?.[name] ?? [name]);
}

/** Patches of the pod, one a template. Throws an InjectionError or the TemplateError of the template. */
export function renderTemplates(
  request: InjectionRequest,
  names: readonly string[],
  proxyConfig: ProxyConfig,
): readonly JsonObject[] {
  const cache = request.cache ?? new TemplateCache(request.environment);
  const functions = injectionFunctions(request, proxyConfig);
  const { pod, workload, mesh, values, config, proxyUser = 1337 } = request;
  const { name, namespace, apiVersion, kind } = workload;
  const { hub, tag, proxy, proxy_init: init } = values.global;
  const imageOf = (image: unknown, settings: ProxyConfig): string =>
    proxyImage({
      hub,
      tag,
      type: imageTypeOf(pod.metadata, settings, values.global),
      image: (image as string | undefined) || 'proxyv2',
    });
  const data = toValue({
    TypeMeta: { APIVersion: apiVersion, Kind: kind },
    DeploymentMeta: goView({ name, namespace }),
    ObjectMeta: goView({ labels: {}, annotations: {}, ...pod.metadata }),
    Spec: goView({ containers: [], initContainers: [], ...pod.spec }),
    ProxyConfig: goView({ interceptionMode: 'REDIRECT', proxyMetadata: {}, ...proxyConfig }),
    MeshConfig: cache.meshView(mesh),
    Values: cache.valuesView(values),
    Revision: request.revision,
    ProxyImage: imageOf(proxy.image, proxyConfig),
    ProxyInitImage: imageOf(init?.image, {}),
    ProxyUID: BigInt(proxyUser),
    ProxyGID: BigInt(proxyUser),
    InboundTrafficPolicyMode: (mesh.inboundTrafficPolicy?.mode ?? 'PASSTHROUGH').toLowerCase(),
    CompliancePolicy: request.compliancePolicy ?? '',
    NativeSidecars: request.nativeSidecars,
  });
  return names.map((template) => {
    const source = config.templates[template];
    if (source === undefined) throw new InjectionError(`there is no injection template "${template}"`);
    const output = load(cache.render(template, source, functions, data));
    if (!isObject(output as Json)) throw new InjectionError(`injection template "${template}" gives no object`);
    return output as JsonObject;
  });
}
