import { hostCovers, hostsOverlap } from '../host.ts';
import type { ConfigOf } from '../kinds/config.ts';
import type { TLSMatchAttributes, VirtualService } from '../kinds/virtual-service.ts';
import { isIpAddress, subnetProblem } from './address.ts';
import { validateWeights } from './destination.ts';
import { wildcardDomainProblem } from './dns.ts';
import { validateExportTo } from './export-to.ts';
import { validateGatewayNames } from './gateway-names.ts';
import { isJwtClaim } from './http-header.ts';
import { validateHttpRoute } from './http-route.ts';
import { type Issues, type Problem, quote } from './issues.ts';
import { validateLabels } from './labels.ts';
import { ROUTE_SEMANTICS, hasGatewaySemantics } from './metadata.ts';
import { validateOptionalPort } from './port.ts';
import { warnHiddenPrefixes, warnUnreachable } from './route-order.ts';

/** The name of the gateway that stands for all sidecars. */
const MESH_GATEWAY = 'mesh';

export function validateVirtualService(issues: Issues, config: ConfigOf<'VirtualService'>): void {
  const { hosts, gateways, http, tls, tcp, exportTo } = config.spec;
  const fromGatewayApi = hasGatewaySemantics(config, ROUTE_SEMANTICS);
  const gatewaysOnly = gateways.length > 0 && !gateways.includes(MESH_GATEWAY);
  const inDelegate = hosts.length === 0;

  if (inDelegate) validateDelegate(issues, config.spec);
  validateGatewayNames(issues, gateways, fromGatewayApi);
  validateHosts(issues, config.spec, gatewaysOnly);
  if (!gatewaysOnly) forbidJwtClaims(issues, config.spec);

  issues.errorIf(http.length + tcp.length + tls.length === 0, 'required', 'needs http, tls or tcp routes');
  issues.each('http', http, (at, route) => validateHttpRoute(at, route, { inDelegate, fromGatewayApi }));
  issues.each('tls', tls, (at, { match, route }) => {
    at.errorIf(match.length === 0, 'required', 'a TLS route needs a match');
    at.each('match', match, (matchAt, one) => validateTlsMatch(matchAt, one, hosts, !gateways.includes(MESH_GATEWAY)));
    at.errorIf(route.length === 0, 'required', 'needs a route');
    validateWeights(at, route, fromGatewayApi);
  });
  issues.each('tcp', tcp, (at, { match, route }) => {
    at.each('match', match, (matchAt, one) => validateL4Match(matchAt.errorsOnly, one));
    at.errorIf(route.length === 0, 'required', 'needs a route');
    validateWeights(at, route, fromGatewayApi);
  });
  validateExportTo(issues, exportTo, { namespace: config.namespace });

  for (const [name, routes] of Object.entries({ http, tls, tcp })) warnUnreachable(issues, name, routes);
  warnHiddenPrefixes(issues, http);
}

/** A virtual service without hosts is a piece of others, for HTTP alone. */
function validateDelegate(issues: Issues, spec: VirtualService): void {
  for (const field of ['gateways', 'tls', 'tcp'] as const) {
    issues
      .at(field)
      .errorIf(spec[field].length > 0, 'conflicting-fields', 'cannot be set without hosts, in a delegate');
  }
}

function validateHosts(issues: Issues, { hosts, tls }: VirtualService, gatewaysOnly: boolean): void {
  const bySni = gatewaysOnly && tls.some(({ match }) => match.some(({ sniHosts }) => sniHosts.length > 0));
  const problemOf = (host: string): Problem => {
    const problem = hostProblem(host, bySni);
    if (problem !== undefined) return isIpAddress(host) ? undefined : problem;
    return host === '*' && !gatewaysOnly
      ? '"*" is for gateways; in the mesh it would take the traffic of every service'
      : undefined;
  };
  issues.each('hosts', hosts, (at, host) => at.check('invalid-host', problemOf(host)));
  if (hosts.some((host) => problemOf(host) !== undefined)) return;
  issues.each('hosts', hosts, (at, host, i) => {
    const other = hosts.slice(0, i).find((earlier) => hostsOverlap(earlier, host));
    at.errorIf(other !== undefined, 'duplicate-host', `${quote(host)} overlaps with ${quote(other ?? '')}`);
  });
}

/** A host or SNI host; `bySni`: it may have the form that gateways of other clusters use, `outbound_.80_.v1_.host`. */
function hostProblem(host: string, bySni: boolean): Problem {
  if (!bySni || !host.startsWith('outbound_')) return wildcardDomainProblem(host);
  const [, port = '', , service = ''] = host.split('_');
  return /\d/.test(port) && /[a-zA-Z]/.test(service)
    ? undefined
    : `${quote(host)} must be outbound_.PORT_.SUBSET_.HOST`;
}

function forbidJwtClaims(issues: Issues, { http }: VirtualService): void {
  issues.each('http', http, (route, { match }) =>
    route.each('match', match, (at, request) => {
      for (const field of ['headers', 'withoutHeaders'] as const) {
        at.entries(field, request[field], (header, _, name) =>
          header.errorIf(isJwtClaim(name), 'unsupported', 'routes by JWT claim work at gateways only, not in the mesh'),
        );
      }
    }),
  );
}

type L4Match = Pick<TLSMatchAttributes, 'destinationSubnets' | 'port' | 'sourceLabels' | 'gateways'>;

function validateL4Match(issues: Issues, { destinationSubnets, port = 0, sourceLabels, gateways }: L4Match): void {
  issues.each('destinationSubnets', destinationSubnets, (at, subnet) =>
    at.check('invalid-subnet', subnetProblem(subnet)),
  );
  validateOptionalPort(issues.at('port'), port);
  validateLabels(issues, 'sourceLabels', sourceLabels);
  validateGatewayNames(issues, gateways);
}

function validateTlsMatch(
  issues: Issues,
  match: TLSMatchAttributes,
  hosts: readonly string[],
  forGateways: boolean,
): void {
  issues.at('sniHosts').errorIf(match.sniHosts.length === 0, 'required', 'needs an SNI host');
  issues.each('sniHosts', match.sniHosts, (at, sni) => {
    const problem = hostProblem(sni, forGateways);
    if (problem !== undefined && isIpAddress(sni))
      at.warn('ip-as-sni', `${quote(sni)} is an IP address, which clients do not send as SNI`);
    else if (problem !== undefined) at.error('invalid-host', problem);
    else if (!hosts.some((host) => hostCovers(host, sni)))
      at.error('invalid-host', `${quote(sni)} is within none of the hosts`);
  });
  validateL4Match(issues, match);
}
