import type { PortTrafficPolicy, TrafficPolicy, TunnelSettings } from '../kinds/traffic-policy.ts';
import { isIpAddress } from './address.ts';
import { validateClientTls } from './client-tls.ts';
import { validateConnectionPool } from './connection-pool.ts';
import { domainProblem } from './dns.ts';
import { type Issues, quote } from './issues.ts';
import { validateLoadBalancer } from './load-balancer.ts';
import { validateOutlierDetection } from './outlier-detection.ts';
import { portProblem } from './port.ts';

/** How traffic to a destination is treated, in an object of a namespace. */
export function validateTrafficPolicy(issues: Issues, policy: TrafficPolicy, namespace: string): void {
  const { portLevelSettings, tunnel, proxyProtocol, retryBudget } = policy;
  if (isEmpty(policy) && portLevelSettings.length === 0 && !tunnel && !proxyProtocol && !retryBudget) {
    issues.error('empty', 'the traffic policy has no setting');
    return;
  }
  if (tunnel && proxyProtocol) {
    issues.error('conflicting-fields', 'at most one of tunnel and proxyProtocol may be set');
    return;
  }
  validateCommon(issues, policy, namespace);
  issues.each('portLevelSettings', portLevelSettings, (at, port) => validatePortPolicy(at.errorsOnly, port, namespace));
  issues.field('tunnel', tunnel, validateTunnel);
}

type Common = Pick<PortTrafficPolicy, 'loadBalancer' | 'connectionPool' | 'outlierDetection' | 'tls'>;

const isEmpty = ({ loadBalancer, connectionPool, outlierDetection, tls }: Common): boolean =>
  !loadBalancer && !connectionPool && !outlierDetection && !tls;

function validatePortPolicy(issues: Issues, policy: PortTrafficPolicy, namespace: string): void {
  issues.errorIf(policy.port === undefined, 'required', 'needs the port that it is for');
  issues.errorIf(isEmpty(policy), 'empty', 'the traffic policy of the port has no setting');
  validateCommon(issues, policy, namespace);
}

function validateCommon(issues: Issues, policy: Common, namespace: string): void {
  const { loadBalancer, connectionPool, outlierDetection, tls } = policy;
  issues.field('outlierDetection', outlierDetection, validateOutlierDetection);
  issues.field('connectionPool', connectionPool, validateConnectionPool);
  issues.field('loadBalancer', loadBalancer, (at, lb) => validateLoadBalancer(at, lb, outlierDetection !== undefined));
  issues.field('tls', tls, (at, settings) => validateClientTls(at, settings, namespace));
}

function validateTunnel(issues: Issues, { protocol = '', targetHost, targetPort }: TunnelSettings): void {
  issues
    .at('protocol')
    .errorIf(!['', 'CONNECT', 'POST'].includes(protocol), 'invalid-protocol', 'must be CONNECT or POST');
  issues
    .at('targetHost')
    .errorIf(
      domainProblem(targetHost) !== undefined && !isIpAddress(targetHost),
      'invalid-host',
      `${quote(targetHost)} is neither a domain name nor an IP address`,
    );
  issues.at('targetPort').check('invalid-port', portProblem(targetPort));
}
