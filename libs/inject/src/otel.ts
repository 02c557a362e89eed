import type { Container, ObjectMeta } from './pod.ts';

interface ProvidersConfig {
  readonly extensionProviders?: readonly {
    readonly opentelemetry?: { readonly serviceAttributeEnrichment?: string };
  }[];
}

const PREFIX = 'resource.opentelemetry.io/';

/**
 * Value of `OTEL_RESOURCE_ATTRIBUTES` after the semantic conventions for Kubernetes, if a provider of the mesh asks for them:
 * annotations first, then labels, then what the pod itself tells.
 */
export function otelResourceAttributes(
  mesh: ProvidersConfig,
  { labels = {}, annotations = {} }: ObjectMeta,
  namespace: string,
  containers: readonly Container[],
): string {
  const isWanted = mesh.extensionProviders?.some(
    ({ opentelemetry }) => opentelemetry?.serviceAttributeEnrichment === 'OTEL_SEMANTIC_CONVENTIONS',
  );
  if (isWanted !== true) return '';
  const only = containers.length === 1 ? containers[0] : undefined;
  const found: Readonly<Record<string, string | undefined>> = {
    'service.namespace': namespace,
    'service.version': labels['app.kubernetes.io/version'] ?? versionOf(only?.image ?? ''),
    'service.instance.id': only && [namespace, '$(POD_NAME)', only.name].filter(Boolean).join('.'),
  };
  return Object.entries(found)
    .map(([name, value]) => [name, annotations[PREFIX + name] ?? value])
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** Tag and digest of an image reference; the port of a registry is no tag. */
const versionOf = (image: string): string | undefined => /^(?:.*\/)?[^/:@]+[:@]([^/]+)$/.exec(image)?.[1];
