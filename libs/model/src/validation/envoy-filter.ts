import type { ConfigOf } from '../kinds/config.ts';
import type {
  EnvoyFilterApplyTo,
  EnvoyFilterConfigPatch,
  EnvoyFilterListenerMatch,
  EnvoyFilterMatch,
} from '../kinds/envoy-filter.ts';
import type { Severity } from '../diagnostic.ts';
import { type JsonObject, isJsonObject } from '../parse/json.ts';
import { type Issues, quote } from './issues.ts';
import { MAX_REGEX_LENGTH, regexProblem } from './regex.ts';
import { hasValidLabels, validateWorkloadLabelSelector } from './workload-selector.ts';

/** What is wrong with an Envoy message in protobuf JSON; the message names the place within. */
export interface EnvoyMessageIssue {
  readonly severity: Severity;
  readonly message: string;
}

/**
 * Checks protobuf JSON against an Envoy message type given by full name; whoever knows Envoy's API supplies it. A field that
 * is not known is a warning: the proxies may be newer.
 */
export type CheckEnvoyMessage = (type: string, value: JsonObject) => readonly EnvoyMessageIssue[];

/** The Envoy message that a patch changes, by `applyTo`. */
export const PATCHED_MESSAGE = {
  LISTENER: 'envoy.config.listener.v3.Listener',
  FILTER_CHAIN: 'envoy.config.listener.v3.FilterChain',
  NETWORK_FILTER: 'envoy.config.listener.v3.Filter',
  LISTENER_FILTER: 'envoy.config.listener.v3.ListenerFilter',
  HTTP_FILTER: 'envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter',
  ROUTE_CONFIGURATION: 'envoy.config.route.v3.RouteConfiguration',
  VIRTUAL_HOST: 'envoy.config.route.v3.VirtualHost',
  HTTP_ROUTE: 'envoy.config.route.v3.Route',
  CLUSTER: 'envoy.config.cluster.v3.Cluster',
  EXTENSION_CONFIG: 'envoy.config.core.v3.TypedExtensionConfig',
  BOOTSTRAP: 'envoy.config.bootstrap.v3.Bootstrap',
} as const satisfies Readonly<Record<Exclude<EnvoyFilterApplyTo, 'INVALID'>, string>>;

export function validateEnvoyFilter(
  issues: Issues,
  { spec }: ConfigOf<'EnvoyFilter'>,
  checkEnvoyMessage?: CheckEnvoyMessage,
): void {
  issues.field('workloadSelector', spec.workloadSelector, validateWorkloadLabelSelector);
  const rest = hasValidLabels(spec.workloadSelector) ? issues : issues.errorsOnly;
  rest.each('configPatches', spec.configPatches, (at, patch) => validatePatch(at, patch, checkEnvoyMessage));
}

function validatePatch(issues: Issues, config: EnvoyFilterConfigPatch, check: CheckEnvoyMessage | undefined): void {
  const { applyTo = 'INVALID', match, patch } = config;
  if (match?.context === 'WAYPOINT') return;
  if (applyTo === 'INVALID') return issues.at('applyTo').error('required', 'is required');
  if (patch === undefined) return issues.at('patch').error('required', 'is required');
  const { operation = 'INVALID', value } = patch;
  if (operation === 'INVALID') return issues.at('patch', 'operation').error('required', 'is required');
  if (operation !== 'REMOVE' && value === undefined) {
    return issues.at('patch', 'value').error('required', `operation ${operation} needs a value`);
  }
  if (match !== undefined && !validateMatch(issues.at('match'), match, applyTo)) return;
  if (value !== undefined) validateValue(issues.at('patch', 'value'), value, applyTo, check);
}

function validateValue(
  issues: Issues,
  value: JsonObject,
  applyTo: keyof typeof PATCHED_MESSAGE,
  check: CheckEnvoyMessage | undefined,
): void {
  const found = check?.(PATCHED_MESSAGE[applyTo], value) ?? [];
  for (const { severity, message } of found) {
    if (severity === 'error') issues.error('invalid-patch', message);
    else issues.warn('doubtful-patch', message);
  }
  const extension = EXTENSION_OF[applyTo] === '' ? value : value[EXTENSION_OF[applyTo] ?? 'none'];
  issues.warnIf(
    !found.some(({ severity }) => severity === 'error') && isJsonObject(extension) && !hasConfig(extension),
    'missing-typed-config',
    'an extension is found by the type of its typed_config, which is not set, and no more by its name',
  );
}

/** Where the patched message configures an extension: itself, or by a field. */
const EXTENSION_OF: Readonly<Partial<Record<EnvoyFilterApplyTo, string>>> = {
  NETWORK_FILTER: '',
  LISTENER_FILTER: '',
  HTTP_FILTER: '',
  EXTENSION_CONFIG: '',
  FILTER_CHAIN: 'transport_socket',
  CLUSTER: 'transport_socket',
};

function hasConfig(extension: JsonObject): boolean {
  return ['typed_config', 'typedConfig', 'config_discovery', 'configDiscovery'].some((field) => field in extension);
}

type MatchField = 'listener' | 'routeConfiguration' | 'cluster';

/** The one part of a match that can pick what is patched; the others of `applyTo` take any. */
const MATCHED_BY: Readonly<Partial<Record<EnvoyFilterApplyTo, MatchField>>> = {
  LISTENER: 'listener',
  FILTER_CHAIN: 'listener',
  NETWORK_FILTER: 'listener',
  HTTP_FILTER: 'listener',
  ROUTE_CONFIGURATION: 'routeConfiguration',
  VIRTUAL_HOST: 'routeConfiguration',
  HTTP_ROUTE: 'routeConfiguration',
  CLUSTER: 'cluster',
};

/** Whether the match is clear enough to look at the patch as well. */
function validateMatch(issues: Issues, match: EnvoyFilterMatch, applyTo: EnvoyFilterApplyTo): boolean {
  const { proxyVersion = '' } = match.proxy ?? {};
  const version = issues.at('proxy', 'proxyVersion');
  if (proxyVersion.length > MAX_REGEX_LENGTH) {
    version.warn('too-long', `is longer than ${MAX_REGEX_LENGTH} characters, and ignored for that`);
  } else if (regexProblem(proxyVersion) !== undefined) {
    version.check('invalid-regex', regexProblem(proxyVersion));
    return false;
  }

  const wanted = MATCHED_BY[applyTo];
  const given = (['listener', 'routeConfiguration', 'cluster', 'waypoint'] as const).find((field) => match[field]);
  if (wanted !== undefined && given !== undefined && given !== wanted) {
    issues.at(given).error('conflicting-fields', `with applyTo ${applyTo} only ${wanted} can be matched`);
    return wanted !== 'listener';
  }
  return (
    wanted !== 'listener' ||
    validateFilterMatch(issues.at('listener', 'filterChain', 'filter'), match.listener, applyTo)
  );
}

const CONNECTION_MANAGERS = ['envoy.filters.network.http_connection_manager', 'envoy.http_connection_manager'];

function validateFilterMatch(
  issues: Issues,
  listener: EnvoyFilterListenerMatch | undefined,
  applyTo: EnvoyFilterApplyTo,
): boolean {
  const filter = listener?.filterChain?.filter;
  if (filter === undefined) return true;
  const { name = '', subFilter } = filter;
  issues.warnIf(
    applyTo === 'LISTENER' || applyTo === 'FILTER_CHAIN',
    'ineffective-field',
    `has no effect with applyTo ${applyTo}`,
  );
  const fail = (message: string, field?: string): false => {
    (field === undefined ? issues : issues.at(field)).error('invalid-filter-match', message);
    return false;
  };
  if (name === '') return fail('a filter is matched by its name', 'name');
  if (subFilter !== undefined) {
    if (applyTo !== 'HTTP_FILTER') return fail('can be matched with applyTo HTTP_FILTER only', 'subFilter');
    if (!CONNECTION_MANAGERS.includes(name))
      return fail(`must be ${CONNECTION_MANAGERS[0]} where subFilter is matched`, 'name');
    if (!subFilter.name) return fail('a filter is matched by its name', 'subFilter');
  }
  warnOldName(issues.at('name'), name);
  warnOldName(issues.at('subFilter', 'name'), subFilter?.name ?? '');
  return true;
}

/** Names that filters once had, which still match, and where their names now begin. */
const OLD_NAMES: Readonly<Record<string, readonly string[]>> = {
  'envoy.filters.http.': [
    'buffer',
    'cors',
    'csrf',
    'http_dynamo_filter',
    'ext_authz',
    'fault',
    'grpc_http1_bridge',
    'grpc_json_transcoder',
    'grpc_web',
    'gzip',
    'health_check',
    'ip_tagging',
    'lua',
    'rate_limit',
    'router',
    'squash',
  ],
  'envoy.filters.listener.': [
    'listener.http_inspector',
    'listener.original_dst',
    'listener.original_src',
    'listener.proxy_protocol',
    'listener.tls_inspector',
  ],
  'envoy.filters.network.': [
    'client_ssl_auth',
    'http_connection_manager',
    'mongo_proxy',
    'ratelimit',
    'redis_proxy',
    'tcp_proxy',
  ],
};

function warnOldName(issues: Issues, name: string): void {
  const [group] = Object.entries(OLD_NAMES).find(([, names]) => names.some((old) => name === `envoy.${old}`)) ?? [];
  if (group !== undefined)
    issues.warn('deprecated-name', `${quote(name)} is an old name; filters are now named ${group}NAME`);
}
