import { type Any, decodeAny } from '@kedge/envoy-api';
import type { Proxy } from '@kedge/model';
import { answer, type EncodedResource, namesKey, TYPE_URLS, type TypeUrl, WILDCARD } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';

/** The files of a rendered proxy, by the lower-case short name of their type. */
export type RenderedType = Lowercase<keyof typeof TYPE_URLS>;

/** What a proxy gets, type by type; types that it doesn't ask for are absent. */
export type RenderedProxy = Partial<Readonly<Record<RenderedType, readonly EncodedResource[]>>>;

/**
 * What a proxy would get from a server with this snapshot: all clusters and listeners, and of the other types what these
 * refer to, as Envoy asks for it.
 */
export function renderProxy(push: PushContext, proxy: Proxy): RenderedProxy {
  const ask = (type: TypeUrl, names: readonly string[] | typeof WILDCARD): readonly EncodedResource[] =>
    push.evaluate(proxy, answer, type, names === WILDCARD ? WILDCARD : namesKey(names));
  const cds = ask(TYPE_URLS.CDS, WILDCARD);
  const lds = ask(TYPE_URLS.LDS, WILDCARD);
  const eds = ask(TYPE_URLS.EDS, required(cds, TYPE_URLS.EDS));
  const rds = ask(TYPE_URLS.RDS, required(lds, TYPE_URLS.RDS));
  const messages = [...cds, ...lds, ...rds].map(decodeResource);
  const extensions = namesIn(messages, extensionConfigName);
  const secrets = namesIn(messages, fetchedSecretName);
  return {
    cds,
    lds,
    ...(eds.length > 0 ? { eds } : {}),
    ...(rds.length > 0 ? { rds } : {}),
    ...(extensions.length > 0 ? { ecds: ask(TYPE_URLS.ECDS, extensions) } : {}),
    ...(secrets.length > 0 ? { sds: ask(TYPE_URLS.SDS, secrets) } : {}),
    ...(proxy.metadata.dnsCapture ? { nds: ask(TYPE_URLS.NDS, WILDCARD) } : {}),
  };
}

/** A resource in the form in which files and dumps show it. */
export function decodeResource(resource: EncodedResource): Any {
  return decodeAny(resource.any);
}

/** The names that resources wait for, sorted. */
function required(resources: readonly EncodedResource[], type: TypeUrl): readonly string[] {
  const names = resources.flatMap(({ requires = [] }) =>
    requires.filter(({ typeUrl }) => typeUrl === type).flatMap((r) => r.names),
  );
  return [...new Set(names)].sort();
}

type NameOf = (
  key: string,
  value: Readonly<Record<string, unknown>>,
  parent: Readonly<Record<string, unknown>>,
) => unknown;

/** A filter whose configuration is fetched under its own name. */
const extensionConfigName: NameOf = (key, _value, parent) => (key === 'configDiscovery' ? parent.name : undefined);

/** A secret that the control plane serves; others come from the agent or from files. */
const fetchedSecretName: NameOf = (_key, value) =>
  'sdsConfig' in value && typeof value.name === 'string' && value.name.includes('://') ? value.name : undefined;

function namesIn(messages: readonly Any[], nameOf: NameOf): readonly string[] {
  const names = new Set<string>();
  const visit = (node: unknown, key: string, parent: Readonly<Record<string, unknown>>): void => {
    if (Array.isArray(node)) for (const item of node) visit(item, key, parent);
    else if (isRecord(node)) {
      const name = nameOf(key, node, parent);
      if (typeof name === 'string') names.add(name);
      for (const [field, value] of Object.entries(node)) visit(value, field, node);
    }
  };
  for (const message of messages) visit(message, '', {});
  return [...names].sort();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
