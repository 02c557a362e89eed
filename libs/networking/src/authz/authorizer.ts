import type { MeshRead } from '@kedge/config';
import { parse } from '@kedge/envoy-api';
import type { EnvoyExternalAuthorizationHttpProvider as HttpProvider, ExtensionProvider } from '@kedge/model';
import { meshConfig } from '@kedge/pushcontext';
import { providerCluster } from '../provider-cluster.ts';
import { type Authorizer, type ExtAuthz, grpcAuthorizer, httpAuthorizer } from './ext-authz.ts';

/** Why there is no authorizer by a name, or none that can be asked. */
export interface AuthorizerProblem {
  readonly problem: string;
}

/** The authorizer that the mesh calls by the name. */
export function authorizerOf(read: MeshRead, name: string): Authorizer | AuthorizerProblem {
  const [provider, ...others] = meshConfig(read).extensionProviders.filter(
    (one) => one.name === name && (one.envoyExtAuthzHttp ?? one.envoyExtAuthzGrpc),
  );
  if (!provider) return { problem: `the mesh has no external authorizer "${name}"` };
  if (others.length > 0) return { problem: `the mesh has several external authorizers "${name}"` };
  // Names become part of metadata and of the names of rules.
  if (!/^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(name)) {
    return { problem: `the name of the external authorizer "${name}" must be a DNS label in small letters` };
  }
  return authorizer(read, provider);
}

function authorizer(
  read: MeshRead,
  { name, envoyExtAuthzHttp: http, envoyExtAuthzGrpc: grpc }: ExtensionProvider,
): Authorizer | AuthorizerProblem {
  const { service = '', port = 0, statusOnError } = http ?? grpc ?? {};
  const target = providerCluster(read, service, port);
  const status = statusOf(statusOnError);
  const problems = [
    ...(port >= 1 && port <= 65535 ? [] : [`${port} is not a port`]),
    ...('problem' in target ? [target.problem] : []),
    ...(status === 'unknown' ? [`statusOnError ${statusOnError} is no status that Envoy knows`] : []),
    ...(http ? httpProblems(http) : []),
  ];
  if (problems.length === 0 && !('problem' in target) && status !== 'unknown') {
    if (http) return httpAuthorizer(http, target, status);
    if (grpc) return grpcAuthorizer(grpc, target, status);
  }
  return { problem: `the external authorizer "${name}" can't be asked: ${problems.join('; ')}` };
}

/** A status by its number, where Envoy has it. */
function statusOf(text: string | undefined): ExtAuthz['statusOnError'] | 'unknown' {
  if (!text) return undefined;
  const parsed = /^[+]?[1-9]\d*$/.test(text) ? parse('envoy.type.v3.HttpStatus', { code: Number(text) }) : undefined;
  return parsed?.ok && typeof parsed.message.code === 'string' ? parsed.message : 'unknown';
}

const HEADER_LISTS = [
  'includeRequestHeadersInCheck',
  'includeHeadersInCheck',
  'headersToUpstreamOnAllow',
  'headersToDownstreamOnDeny',
  'headersToDownstreamOnAllow',
] as const satisfies readonly (keyof HttpProvider)[];

function httpProblems(provider: HttpProvider): readonly string[] {
  const { pathPrefix } = provider;
  return [
    ...(pathPrefix && !/^\/(?:[^%\p{Cc}]|%[0-9A-Fa-f]{2})*$/u.test(pathPrefix)
      ? [`pathPrefix ${pathPrefix} is no absolute path`]
      : []),
    ...HEADER_LISTS.filter((list) => provider[list].includes('*')).map((list) => `${list} can't be "*"`),
  ];
}
