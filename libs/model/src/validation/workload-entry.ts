import type { ConfigOf } from '../kinds/config.ts';
import type { WorkloadEntry } from '../kinds/workload-entry.ts';
import { UNIX_PREFIX, isIpAddress, unixSocketProblem } from './address.ts';
import { domainProblem } from './dns.ts';
import { type Issues, quote } from './issues.ts';
import { validateLabels } from './labels.ts';
import { portNameProblem, portProblem } from './port.ts';

export function validateWorkloadEntryConfig(issues: Issues, { spec }: ConfigOf<'WorkloadEntry'>): void {
  validateWorkloadEntry(issues, spec);
}

/** The service whose endpoint an entry is. */
export interface EndpointOf {
  readonly portNames: ReadonlySet<string>;
}

/** A workload by itself or, where a service is given, its endpoint, which then is known by address and not by name. */
export function validateWorkloadEntry(issues: Issues, entry: WorkloadEntry, service?: EndpointOf): void {
  const { address = '', network = '', ports, labels } = entry;
  const at = issues.at('address');
  const isSocket = address.startsWith(UNIX_PREFIX);
  if (address === '' && network === '') {
    at.error('required', 'needs an address, or a network whose gateway leads to it');
    return;
  }
  if (address === '') {
    at.warn('missing-address', `is not set; the gateway of network ${quote(network)} leads to the workload`);
  } else if (isSocket) {
    at.check('invalid-address', unixSocketProblem(address.slice(UNIX_PREFIX.length)));
    issues
      .at('ports')
      .errorIf(Object.keys(ports).length > 0, 'conflicting-fields', 'a Unix domain socket has no ports');
    at.errorIf(service !== undefined && service.portNames.size !== 1, 'conflicting-fields', 'a Unix domain socket needs a service with exactly one port'); // prettier-ignore
  } else if (service !== undefined) {
    at.errorIf(!isIpAddress(address), 'invalid-address', `${quote(address)} is not an IP address`);
  } else {
    validateHostAddress(at, address);
  }
  validateEndpointPorts(issues, ports, service);
  validateLabels(issues, 'labels', labels);
}

/** The address of an endpoint that may have to be resolved by DNS. */
export function validateHostAddress(issues: Issues, address: string): void {
  issues.errorIf(
    !isIpAddress(address) && domainProblem(address) !== undefined,
    'invalid-address',
    `${quote(address)} is neither an IP address nor a domain name`,
  );
}

export function validateEndpointPorts(
  issues: Issues,
  ports: Readonly<Record<string, number>>,
  service?: EndpointOf,
): void {
  issues.entries('ports', ports, (at, port, name) => {
    const unknown = service !== undefined && !service.portNames.has(name);
    at.errorIf(unknown, 'unknown-port', `${quote(name)} is not the name of a port of the service entry`);
    at.check('invalid-port-name', portNameProblem(name));
    at.check('invalid-port', portProblem(port));
  });
}
