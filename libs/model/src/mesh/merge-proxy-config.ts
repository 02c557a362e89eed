import type { SchemaResult } from '../parse/findings.ts';
import { givenField, overlay } from './overlay.ts';
import { ProxyConfig, ProxyHeaders } from './proxy-config.ts';

/**
 * Lays a ProxyConfig as users write it (`defaultConfig` of the mesh, the annotation `proxy.istio.io/config`, a proxy's
 * metadata) over a base. Fields replace those of the base; `proxyMetadata` is merged by key, `proxyHeaders` by field.
 * The base itself when the object has errors. Never throws.
 */
export function mergeProxyConfig<T extends ProxyConfig>(base: T, object: unknown): SchemaResult<T> & { value: T } {
  const merged = overlay<ProxyConfig>(ProxyConfig, base, object ?? {});
  if (merged.findings.length > 0) return { ...merged, value: base };
  const headers = overlay(
    ProxyHeaders,
    base.proxyHeaders ?? NO_HEADERS,
    givenField(object, 'proxyHeaders', ProxyConfig) ?? {},
  );
  const value = {
    ...merged.value,
    proxyMetadata: { ...base.proxyMetadata, ...merged.value.proxyMetadata },
    ...(merged.value.proxyHeaders && { proxyHeaders: headers.value }),
  };
  // The overlay keeps every field of the base, so what T promises beyond ProxyConfig still holds.
  return { ...merged, value: value as T };
}

const NO_HEADERS: ProxyHeaders = {};
