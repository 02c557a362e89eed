import type { GrpcService, HeaderValue, ListStringMatcher, MetadataMatcher, Messages } from '@kedge/envoy-api';
import {
  type EnvoyExternalAuthorizationGrpcProvider as GrpcProvider,
  type EnvoyExternalAuthorizationHttpProvider as HttpProvider,
  formatDuration,
} from '@kedge/model';
import type { ProviderCluster } from '../provider-cluster.ts';
import { wildcardMatcher } from '../wildcard-matcher.ts';
import { httpExtAuthzFilter, type PolicyFilter, TCP_STATS, tcpExtAuthzFilter } from './layer.ts';

export type ExtAuthz = Messages['envoy.extensions.filters.http.ext_authz.v3.ExtAuthz'];
type HttpService = NonNullable<ExtAuthz['httpService']>;

/** An external authorizer: the filters that ask it, where metadata says that a request or connection is a case for it. */
export interface Authorizer {
  readonly http: (isCase: MetadataMatcher) => PolicyFilter;
  /** Absent for authorizers that judge requests only. */
  readonly tcp?: (isCase: MetadataMatcher) => PolicyFilter;
}

/** Milliseconds. Nobody waits that long; it only means that no limit was asked for. */
const NO_TIMEOUT = 600_000;

const timeoutOf = ({ timeout }: HttpProvider | GrpcProvider): string => formatDuration(timeout ?? NO_TIMEOUT);

/** What settings of both protocols come to alike. */
function common({ failOpen, includeRequestBodyInCheck: body }: HttpProvider | GrpcProvider): ExtAuthz {
  return {
    failureModeAllow: failOpen ?? false,
    transportApiVersion: 'V3',
    ...(body ? { withRequestBody: body } : {}),
  };
}

/** An authorizer that is asked by HTTP, with the request's own path and some of its headers. */
export function httpAuthorizer(
  provider: HttpProvider,
  { host, cluster }: ProviderCluster,
  statusOnError: ExtAuthz['statusOnError'],
): Authorizer {
  const { pathPrefix, includeRequestHeadersInCheck, includeHeadersInCheck } = provider;
  const toAdd = headerValues(provider.includeAdditionalHeadersInCheck);
  const response = responseHeaders(provider);
  const httpService: HttpService = {
    ...(pathPrefix ? { pathPrefix } : {}),
    serverUri: { uri: `http://${host}`, cluster, timeout: timeoutOf(provider) },
    ...(toAdd.length > 0 ? { authorizationRequest: { headersToAdd: toAdd } } : {}),
    ...(response ? { authorizationResponse: response } : {}),
  };
  const allowedHeaders = headerPatterns(
    includeRequestHeadersInCheck.length > 0 ? includeRequestHeadersInCheck : includeHeadersInCheck,
  );
  const settings: ExtAuthz = {
    ...common(provider),
    ...(statusOnError ? { statusOnError } : {}),
    httpService,
    ...(allowedHeaders ? { allowedHeaders } : {}),
  };
  return { http: (isCase) => httpExtAuthzFilter({ ...settings, filterEnabledMetadata: isCase }) };
}

/** An authorizer that is asked by Envoy's own gRPC service, about requests or connections. */
export function grpcAuthorizer(
  provider: GrpcProvider,
  { host, cluster }: ProviderCluster,
  statusOnError: ExtAuthz['statusOnError'],
): Authorizer {
  const grpcService: GrpcService = {
    envoyGrpc: { clusterName: cluster, authority: host },
    timeout: timeoutOf(provider),
  };
  const settings = common(provider);
  const { failureModeAllow, transportApiVersion } = settings;
  return {
    http: (isCase) =>
      httpExtAuthzFilter({
        ...settings,
        ...(statusOnError ? { statusOnError } : {}),
        grpcService,
        filterEnabledMetadata: isCase,
      }),
    tcp: (isCase) =>
      tcpExtAuthzFilter({
        statPrefix: TCP_STATS,
        failureModeAllow,
        transportApiVersion,
        grpcService,
        filterEnabledMetadata: isCase,
      }),
  };
}

function headerValues(headers: Readonly<Record<string, string>>): readonly HeaderValue[] {
  return Object.entries(headers)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => ({ key, value }));
}

/** Which headers of the authorizer's answer go on. */
function responseHeaders(provider: HttpProvider): HttpService['authorizationResponse'] {
  const lists = {
    allowedUpstreamHeaders: headerPatterns(provider.headersToUpstreamOnAllow),
    allowedClientHeaders: headerPatterns(provider.headersToDownstreamOnDeny),
    allowedClientHeadersOnSuccess: headerPatterns(provider.headersToDownstreamOnAllow),
  };
  const stated = Object.entries(lists).filter(([, patterns]) => patterns);
  return stated.length > 0 ? Object.fromEntries(stated) : undefined;
}

function headerPatterns(headers: readonly string[]): ListStringMatcher | undefined {
  if (headers.length === 0) return undefined;
  return { patterns: headers.map((header) => ({ ...wildcardMatcher(header), ignoreCase: true })) };
}
