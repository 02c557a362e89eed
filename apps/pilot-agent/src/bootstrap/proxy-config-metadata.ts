import type { JsonObject } from '@kedge/envoy-api';
import { type ProxyConfig, formatDuration } from '@kedge/model';

/** Fields whose zero value protobuf JSON leaves out. Enum values are listed by field, for a name may be zero in one enum only. */
const zeroValues: Readonly<Record<string, string | number | boolean>> = {
  proxyAdminPort: 0,
  statusPort: 0,
  statNameLength: 0,
  fileFlushMinSizeKb: 0,
  numTrustedProxies: 0,
  maxPathTagLength: 0,
  sampling: 0,
  debug: false,
  controlPlaneAuthPolicy: 'NONE',
  interceptionMode: 'REDIRECT',
  forwardClientCertDetails: 'UNDEFINED',
  forwardedClientCert: 'UNDEFINED',
  mode: 'DISABLE',
  profile: 'SIDECAR',
  httpHeadersWithUnderscoresAction: 'HEADERS_WITH_UNDERSCORES_UNSPECIFIED',
  httpPathWithEscapedSlashesAction: 'PATH_WITH_ESCAPED_SLASHES_UNSPECIFIED',
};

/** Members of a oneof: set even when empty. */
const oneofMembers: ReadonlySet<string> = new Set(['serviceCluster', 'literal']);
/** Durations, which are milliseconds in the model. */
const durations: ReadonlySet<string> = new Set([
  'drainDuration',
  'terminationDrainDuration',
  'discoveryRefreshDelay',
  'fileFlushInterval',
  'pollDelay',
  'time',
  'interval',
  'httpIdleTimeout',
  'httpMaxConnectionDuration',
  'httpDrainTimeout',
  'httpRequestTimeout',
  'httpRequestHeadersTimeout',
  'httpStreamIdleTimeout',
  'httpMaxStreamDuration',
]);
const stringMaps: ReadonlySet<string> = new Set(['proxyMetadata', 'runtimeValues', 'customTags']);

/** The ProxyConfig as the node carries it: protobuf JSON without fields at their zero value. */
export function proxyConfigMetadata(config: ProxyConfig): JsonObject {
  return withoutZeros(config) as JsonObject;
}

function withoutZeros(message: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(message).flatMap(([name, value]: [string, unknown]) => {
      if (isZero(name, value)) return [];
      if (durations.has(name) && typeof value === 'number') return [[name, formatDuration(value)]];
      return [[name, isMessage(value) && !stringMaps.has(name) ? withoutZeros(value) : value]];
    }),
  );
}

function isZero(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (value === '') return !oneofMembers.has(name);
  if (Array.isArray(value)) return value.length === 0;
  if (stringMaps.has(name)) return Object.keys(value).length === 0;
  return name in zeroValues && zeroValues[name] === value;
}

function isMessage(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
