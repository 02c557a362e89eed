import type { ConfigOf } from '../kinds/config.ts';
import type { ServerTLSSettings } from '../kinds/server-tls.ts';
import type {
  IstioEgressListener,
  IstioIngressListener,
  SidecarOutboundTrafficPolicy,
  SidecarPort,
} from '../kinds/sidecar.ts';
import { isHttp, isTls, parseProtocol } from '../protocol.ts';
import { UNIX_PREFIX, ipAddressProblem, splitHostPort, unixSocketProblem } from './address.ts';
import { validateConnectionPool } from './connection-pool.ts';
import { validateDestination } from './destination.ts';
import { domainProblem } from './dns.ts';
import { type Issues, type Problem, quote } from './issues.ts';
import { splitNamespace, validateEgressHost } from './namespaced-host.ts';
import { portNameProblem, portProblem, protocolProblem } from './port.ts';
import { validateServerTls } from './server-tls.ts';
import { hasValidLabels, validateWorkloadLabelSelector } from './workload-selector.ts';

export function validateSidecar(issues: Issues, { spec, namespace }: ConfigOf<'Sidecar'>): void {
  const { workloadSelector, ingress, egress, inboundConnectionPool, outboundTrafficPolicy } = spec;
  if (ingress.length + egress.length === 0 && !inboundConnectionPool && !outboundTrafficPolicy) {
    issues.error('empty', 'needs ingress, egress, inboundConnectionPool or outboundTrafficPolicy');
    return;
  }
  issues.field('workloadSelector', workloadSelector, validateWorkloadLabelSelector);
  const rest = hasValidLabels(workloadSelector) ? issues : issues.errorsOnly;

  const ingressPorts = new Set<number>();
  rest.each('ingress', ingress, (at, listener) => validateIngress(at, listener, ingressPorts));
  rest.field('inboundConnectionPool', inboundConnectionPool, validateConnectionPool);

  const egressAddresses = new Set<number | string>();
  rest.each('egress', egress, (at, listener, i) => {
    if (listener.port !== undefined) validateEgressPort(at, listener, listener.port, egressAddresses);
    else
      at.errorIf(
        i < egress.length - 1,
        'listener-order',
        'the listener without port takes all other traffic, so it must be the last',
      );
    validateEgressHosts(at, listener.hosts, namespace);
  });
  rest.field('outboundTrafficPolicy', outboundTrafficPolicy, validateOutboundPolicy);
}

function validatePort(issues: Issues, { name = '', protocol = '', targetPort = 0 }: SidecarPort): void {
  if (name !== '') issues.at('name').check('invalid-port-name', portNameProblem(name));
  if (protocol !== '') issues.at('protocol').check('invalid-protocol', protocolProblem(protocol));
  issues.at('targetPort').errorIf(targetPort > 0, 'ineffective-field', 'has no effect in sidecars');
}

function validateIngress(issues: Issues, listener: IstioIngressListener, ports: Set<number>): void {
  const { port, bind = '', defaultEndpoint = '', tls, connectionPool } = listener;
  if (port === undefined) {
    issues.at('port').error('required', 'an ingress listener needs a port');
    return;
  }
  const { number = 0, protocol = '' } = port;
  validatePort(issues.at('port'), port);
  issues.at('port', 'number').check('invalid-port', portProblem(number));
  issues.at('port', 'number').errorIf(ports.has(number), 'duplicate-port', `${number} is the port of another listener`);
  ports.add(number);
  if (bind !== '') issues.at('bind').check('invalid-address', ipAddressProblem(bind));
  if (defaultEndpoint !== '')
    issues.at('defaultEndpoint').check('invalid-endpoint', localEndpointProblem(defaultEndpoint));
  issues.field('tls', tls, (at, settings) => validateIngressTls(at, settings, protocol));
  issues.field('connectionPool', connectionPool, validateConnectionPool);
  issues
    .at('connectionPool', 'http')
    .warnIf(
      connectionPool?.http !== undefined && !isHttp(parseProtocol(protocol)),
      'ineffective-field',
      `has no effect on a port that does not speak HTTP (${quote(protocol)})`,
    );
}

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['', '127.0.0.1', '0.0.0.0', '::1', '::']);

/** Where the workload itself listens. */
function localEndpointProblem(endpoint: string): Problem {
  if (endpoint.startsWith(UNIX_PREFIX)) return unixSocketProblem(endpoint.slice(UNIX_PREFIX.length));
  const { host, port } = splitHostPort(endpoint) ?? { host: '', port: '' };
  if (LOCAL_HOSTS.has(host) && /^\+?\d+$/.test(port)) return portProblem(Number(port));
  return `${quote(endpoint)} must be 127.0.0.1:PORT, 0.0.0.0:PORT, [::1]:PORT, [::]:PORT, :PORT or ${UNIX_PREFIX}PATH`;
}

function validateIngressTls(issues: Issues, tls: ServerTLSSettings, protocol: string): void {
  for (const field of ['subjectAltNames', 'credentialNames', 'tlsCertificates'] as const) {
    issues.at(field).errorIf(tls[field].length > 0, 'unsupported', 'is not supported in sidecars');
  }
  for (const field of ['httpsRedirect', 'credentialName'] as const) {
    issues.at(field).errorIf(Boolean(tls[field]), 'unsupported', 'is not supported in sidecars');
  }
  issues
    .at('mode')
    .errorIf(
      tls.mode === 'ISTIO_MUTUAL' || tls.mode === 'AUTO_PASSTHROUGH',
      'unsupported',
      `${tls.mode} is not supported in sidecars`,
    );
  issues.errorIf(
    !isTls(parseProtocol(protocol)),
    'conflicting-fields',
    'only ports with protocol HTTPS or TLS have TLS settings',
  );
  validateServerTls(issues, tls);
}

function validateEgressPort(
  issues: Issues,
  listener: IstioEgressListener,
  port: SidecarPort,
  taken: Set<number | string>,
): void {
  const { bind = '', captureMode = 'DEFAULT' } = listener;
  const { number = 0 } = port;
  validatePort(issues.at('port'), port);
  if (number === 0) {
    const isSocket = bind.startsWith(UNIX_PREFIX);
    issues
      .at('bind')
      .check('invalid-address', isSocket ? unixSocketProblem(bind.slice(UNIX_PREFIX.length)) : `a listener without port number needs a Unix domain socket, ${UNIX_PREFIX}PATH`); // prettier-ignore
    issues.at('captureMode').errorIf(captureMode === 'IPTABLES', 'conflicting-fields', 'must be DEFAULT or NONE for a Unix domain socket'); // prettier-ignore
  } else {
    issues.at('port', 'number').check('invalid-port', portProblem(number));
    if (bind !== '') issues.at('bind').check('invalid-address', ipAddressProblem(bind));
  }
  const address = number === 0 ? bind : number;
  issues
    .at('port')
    .errorIf(taken.has(address), 'duplicate-port', `another egress listener has ${quote(String(address))}`);
  taken.add(address);
}

function validateEgressHosts(issues: Issues, hosts: readonly string[], namespace: string): void {
  issues.at('hosts').errorIf(hosts.length === 0, 'required', 'an egress listener needs a host; "*/*" stands for all');
  const seen = new Map<string, Set<string>>();
  issues.each('hosts', hosts, (at, host) => {
    validateEgressHost(at, host);
    const parts = splitNamespace(host);
    if (parts === undefined || host.startsWith('~')) return;
    const of = parts.namespace === '.' ? namespace : parts.namespace;
    const names = seen.get(of) ?? new Set();
    const repeated = parts.name === '*' ? names.size > 0 : names.has(parts.name) || names.has('*');
    at.warnIf(repeated, 'duplicate-host', `${quote(host)} is, in whole or in part, in the list already`);
    seen.set(of, names.add(parts.name));
  });
  const takesAll = seen.get('*')?.has('*') === true;
  issues
    .at('hosts')
    .warnIf(takesAll && seen.size > 1, 'duplicate-host', '"*/*" selects everything, so other hosts add nothing');
}

function validateOutboundPolicy(issues: Issues, { mode, egressProxy }: SidecarOutboundTrafficPolicy): void {
  if (egressProxy === undefined) return;
  const at = issues.at('egressProxy');
  if (mode !== 'ALLOW_ANY') {
    at.error('conflicting-fields', 'needs mode ALLOW_ANY');
    return;
  }
  at.at('host').check('invalid-host', domainProblem(egressProxy.host));
  if (egressProxy.port === undefined) at.at('port').error('required', 'needs a port');
  else validateDestination(at, egressProxy);
}
