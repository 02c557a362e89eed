import { isWildcardHost } from '../host.ts';
import type { ConfigOf } from '../kinds/config.ts';
import type { ServiceEntry, ServiceEntryPort } from '../kinds/service-entry.ts';
import { type Protocol, isHttp, isTcp, isTls, parseProtocol } from '../protocol.ts';
import { subnetProblem } from './address.ts';
import { domainProblem, partialWildcardProblem, wildcardDomainProblem } from './dns.ts';
import { validateExportTo } from './export-to.ts';
import { type Issues, quote } from './issues.ts';
import { validateLabels } from './labels.ts';
import { portNameProblem, portProblem, protocolProblem, validateOptionalPort } from './port.ts';
import {
  type EndpointOf,
  validateEndpointPorts,
  validateHostAddress,
  validateWorkloadEntry,
} from './workload-entry.ts';
import { hasValidLabels, validateWorkloadLabelSelector } from './workload-selector.ts';

type Labels = Readonly<Record<string, string>>;

export function validateServiceEntry(issues: Issues, config: ConfigOf<'ServiceEntry'>): void {
  const { spec, namespace, labels } = config;
  issues.field('workloadSelector', spec.workloadSelector, validateWorkloadLabelSelector);
  const rest = hasValidLabels(spec.workloadSelector) ? issues : issues.errorsOnly;

  rest.errorIf(
    spec.workloadSelector !== undefined && spec.endpoints.length > 0,
    'conflicting-fields',
    'at most one of workloadSelector and endpoints may be set',
  );
  validateHosts(rest, spec);
  validateAddresses(rest, spec);
  validatePorts(rest, spec, labels);
  validateResolution(rest, spec, labels);
  validateExportTo(rest, spec.exportTo, { namespace, allowNone: true });
}

const protocolsOf = ({ ports }: ServiceEntry): readonly Protocol[] =>
  ports.map(({ protocol = '' }) => parseProtocol(protocol));

function validateHosts(issues: Issues, spec: ServiceEntry): void {
  const { hosts, resolution = 'NONE' } = spec;
  issues.at('hosts').errorIf(hosts.length === 0, 'required', 'needs a host');
  issues.each('hosts', hosts, (at, host) => {
    at.check('invalid-host', host === '*' ? '"*" is not a service' : wildcardDomainProblem(host));
    const partial = resolution === 'DYNAMIC_DNS' ? undefined : partialWildcardProblem(host);
    if (partial !== undefined) at.warn('partial-wildcard', partial);
  });
  issues
    .at('ports')
    .errorIf(
      resolution !== 'NONE' && hosts.length > 1 && protocolsOf(spec).some((p) => !isHttp(p) && !isTls(p)),
      'ambiguous-host',
      'with several hosts every port must be HTTP or TLS, which tell the hosts apart',
    );
}

function validateAddresses(issues: Issues, { addresses, resolution = 'NONE' }: ServiceEntry): void {
  issues.each('addresses', addresses, (at, address) => at.check('invalid-address', subnetProblem(address)));
  issues
    .at('addresses')
    .errorIf(
      addresses.some((address) => address.includes('/')) && resolution !== 'NONE' && resolution !== 'STATIC',
      'conflicting-fields',
      'ranges are possible with resolution NONE and STATIC only',
    );
}

function validatePorts(issues: Issues, spec: ServiceEntry, labels: Labels): void {
  const needsAddress = spec.addresses.length === 0 && !getsAddress(spec, labels);
  const names = new Set<string>();
  const numbers = new Set<number>();
  issues.each('ports', spec.ports, (at, port) => {
    validatePort(at, port);
    at.at('name').errorIf(
      names.has(port.name),
      'duplicate-port-name',
      `${quote(port.name)} is the name of another port`,
    );
    at.at('number').errorIf(numbers.has(port.number), 'duplicate-port', `${port.number} is the number of another port`);
    names.add(port.name);
    numbers.add(port.number);
    at.warnIf(
      needsAddress && port.number > 0 && ['', 'TCP'].includes(port.protocol ?? ''),
      'missing-address',
      'without addresses, set or allocated, a TCP port takes the traffic of every destination with its number',
    );
  });
}

function validatePort(issues: Issues, { name, number, protocol = '', targetPort = 0 }: ServiceEntryPort): void {
  issues.at('name').check('invalid-port-name', portNameProblem(name));
  issues.at('number').check('invalid-port', portProblem(number));
  if (protocol !== '') issues.at('protocol').check('invalid-protocol', protocolProblem(protocol));
  validateOptionalPort(issues.at('targetPort'), targetPort);
}

/** Whether an address is allocated for the service; on by default, and off for one service by a label. */
function getsAddress({ resolution = 'NONE', addresses }: ServiceEntry, labels: Labels): boolean {
  const off = labels['networking.istio.io/enable-autoallocate-ip']?.toLowerCase() === 'false';
  return resolution !== 'NONE' && !off && addresses.length === 0;
}

function validateResolution(issues: Issues, spec: ServiceEntry, labels: Labels): void {
  const { endpoints, workloadSelector, ports, resolution = 'NONE' } = spec;
  const service: EndpointOf = { portNames: new Set(ports.map(({ name }) => name)) };
  switch (resolution) {
    case 'NONE':
      issues.at('endpoints').errorIf(endpoints.length > 0, 'conflicting-fields', 'cannot be set with resolution NONE');
      issues
        .at('workloadSelector')
        .warnIf(workloadSelector !== undefined, 'ineffective-field', 'has no effect with resolution NONE');
      break;
    case 'STATIC':
      issues.each('endpoints', endpoints, (at, endpoint) => validateWorkloadEntry(at, endpoint, service));
      break;
    case 'DNS':
    case 'DNS_ROUND_ROBIN':
      validateDns(issues, spec, service);
      break;
    case 'DYNAMIC_DNS':
      validateDynamicDns(issues, spec, labels);
      break;
  }
}

function validateDns(issues: Issues, spec: ServiceEntry, service: EndpointOf): void {
  const { hosts, endpoints, addresses, resolution } = spec;
  if (endpoints.length === 0) {
    issues.each('hosts', hosts, (at, host) => {
      const resolvable = domainProblem(host) === undefined;
      at.errorIf(!resolvable, 'invalid-host', `${quote(host)} cannot be resolved by DNS; set endpoints`);
    });
  }
  issues
    .at('endpoints')
    .errorIf(
      resolution === 'DNS_ROUND_ROBIN' && endpoints.length > 1,
      'too-many',
      'resolution DNS_ROUND_ROBIN has one endpoint at most',
    );
  issues.each('endpoints', endpoints, (at, { address = '', labels, ports }) => {
    validateHostAddress(at.at('address'), address);
    validateLabels(at, 'labels', labels);
    validateEndpointPorts(at, ports, service);
  });
  issues
    .at('hosts')
    .warnIf(
      addresses.length > 0 && hosts.length > 1 && protocolsOf(spec).some(isTcp),
      'ambiguous-host',
      'with addresses and a TCP port only one host can be told from the others',
    );
}

const DYNAMIC_DNS_PROTOCOLS: ReadonlySet<Protocol> = new Set(['HTTP', 'HTTP2', 'GRPC', 'TLS']);

/** The host that a request names is resolved as the request comes. */
function validateDynamicDns(issues: Issues, spec: ServiceEntry, labels: Labels): void {
  issues.each('hosts', spec.hosts, (at, host) =>
    at.errorIf(
      !isWildcardHost(host),
      'invalid-host',
      `${quote(host)} must have a wildcard with resolution DYNAMIC_DNS`,
    ),
  );
  for (const field of ['addresses', 'endpoints'] as const) {
    const message = 'cannot be set with resolution DYNAMIC_DNS, which resolves the hosts that requests name';
    issues.at(field).errorIf(spec[field].length > 0, 'conflicting-fields', message);
  }
  issues.each(
    'ports',
    spec.ports,
    (at, { protocol = '' }) =>
    at
      .at('protocol')
      .errorIf(!DYNAMIC_DNS_PROTOCOLS.has(parseProtocol(protocol)), 'invalid-protocol', 'must be HTTP, HTTP2, GRPC or TLS with resolution DYNAMIC_DNS'), // prettier-ignore
  );
  const waypoint = labels['istio.io/use-waypoint'] ?? '';
  issues
    .at('location')
    .errorIf(
      spec.location === 'MESH_INTERNAL' && waypoint !== '' && waypoint.toLowerCase() !== 'none',
      'unsupported',
      'MESH_INTERNAL with resolution DYNAMIC_DNS is not supported for services that use a waypoint',
    );
}
