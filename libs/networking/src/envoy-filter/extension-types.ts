import { isJsonObject, type JsonObject } from '@kedge/model';

/** Types that only wrap the settings of an extension, with the member that names or holds them. */
const WRAPPERS: Readonly<Record<string, (any: JsonObject) => unknown>> = {
  'udpa.type.v1.TypedStruct': ({ typeUrl }) => typeUrl,
  'xds.type.v3.TypedStruct': ({ typeUrl }) => typeUrl,
  'envoy.config.route.v3.FilterConfig': ({ config, isOptional }) => (isOptional ? undefined : config),
};

/** The messages that configure extensions in a value, of which Envoy has to know all. */
export function extensionTypes(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(extensionTypes);
  if (!isJsonObject(value) || value.isOptional === true) return [];
  const { typedConfig, typedPerFilterConfig, ...rest } = value;
  const configs = [typedConfig, ...(isJsonObject(typedPerFilterConfig) ? Object.values(typedPerFilterConfig) : [])];
  return [...configs.flatMap(typeOf), ...[...configs, ...Object.values(rest)].flatMap(extensionTypes)];
}

function typeOf(config: unknown): readonly string[] {
  const url = isJsonObject(config) ? config['@type'] : config;
  if (typeof url !== 'string') return [];
  const type = url.slice(url.lastIndexOf('/') + 1);
  const unwrap = WRAPPERS[type];
  return unwrap && isJsonObject(config) ? typeOf(unwrap(config)) : [type];
}
