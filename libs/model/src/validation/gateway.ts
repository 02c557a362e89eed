import type { ConfigOf } from '../kinds/config.ts';
import type { GatewayPort, GatewayServer } from '../kinds/gateway.ts';
import { isHttp, isTls, parseProtocol } from '../protocol.ts';
import { UNIX_PREFIX, ipAddressProblem, unixSocketProblem } from './address.ts';
import { dnsLabelProblem } from './dns.ts';
import { type Issues, quote } from './issues.ts';
import { GATEWAY_SEMANTICS, hasGatewaySemantics } from './metadata.ts';
import { validateGatewayHost } from './namespaced-host.ts';
import { isPortProtocol, portProblem, protocolProblem } from './port.ts';
import { isPassthrough, validateServerTls } from './server-tls.ts';

export function validateGateway(issues: Issues, config: ConfigOf<'Gateway'>): void {
  const { servers } = config.spec;
  const fromGatewayApi = hasGatewaySemantics(config, GATEWAY_SEMANTICS);
  if (!fromGatewayApi) issues.object.at('metadata', 'name').check('invalid-name', dnsLabelProblem(config.name));
  issues.at('servers').errorIf(servers.length === 0, 'required', 'needs a server');

  const portNames = new Set<string>();
  issues.each('servers', servers, (at, server) => {
    validateServer(at, server, fromGatewayApi);
    if (server.port === undefined) return;
    const { name, protocol } = server.port;
    at.at('port', 'name').errorIf(
      portNames.has(name),
      'duplicate-port-name',
      `${quote(name)} is the name of another server's port`,
    );
    portNames.add(name);
    at.at('tls', 'httpsRedirect').warnIf(
      server.tls?.httpsRedirect === true && !isHttp(parseProtocol(protocol)),
      'ineffective-field',
      'has an effect on HTTP servers only',
    );
  });
}

function validateServer(issues: Issues, server: GatewayServer, fromGatewayApi: boolean): void {
  const { hosts, port, bind = '', tls } = server;
  issues.at('hosts').errorIf(hosts.length === 0, 'required', 'needs a host; "*" stands for all');
  issues.each('hosts', hosts, (at, host) => validateGatewayHost(at, host, fromGatewayApi));
  if (port === undefined) issues.at('port').error('required', 'needs a port');
  else validatePort(issues.at('port'), port, bind);
  validateBind(issues.at('bind'), bind, port);
  issues.field('tls', tls, validateServerTls);
  if (port !== undefined && isValidPort(port, bind)) validateTlsOfProtocol(issues.at('tls'), server, port);
}

const isOnSocket = (port: GatewayPort, bind: string): boolean => port.number === 0 && bind.startsWith(UNIX_PREFIX);

function isValidPort(port: GatewayPort, bind: string): boolean {
  return (
    isPortProtocol(parseProtocol(port.protocol)) &&
    (isOnSocket(port, bind) || portProblem(port.number) === undefined) &&
    !port.targetPort &&
    port.name !== ''
  );
}

function validatePort(issues: Issues, port: GatewayPort, bind: string): void {
  issues.at('protocol').check('invalid-protocol', protocolProblem(port.protocol));
  if (!isOnSocket(port, bind)) issues.at('number').check('invalid-port', portProblem(port.number));
  issues.at('targetPort').errorIf((port.targetPort ?? 0) > 0, 'ineffective-field', 'has no effect in gateways');
  issues.at('name').errorIf(port.name === '', 'required', 'the port needs a name');
}

function validateBind(issues: Issues, bind: string, port: GatewayPort | undefined): void {
  if (bind.startsWith(UNIX_PREFIX)) {
    issues.check('invalid-address', unixSocketProblem(bind.slice(UNIX_PREFIX.length)));
    issues.errorIf(
      (port?.number ?? 0) !== 0,
      'conflicting-fields',
      'a Unix domain socket has no port: its number must be 0',
    );
  } else if (bind !== '') {
    issues.check('invalid-address', ipAddressProblem(bind));
  }
}

/** Servers of TLS protocols need TLS settings; of the others only HTTP has any, to redirect to HTTPS. */
function validateTlsOfProtocol(issues: Issues, { tls }: GatewayServer, port: GatewayPort): void {
  const protocol = parseProtocol(port.protocol);
  if (isTls(protocol)) {
    issues.errorIf(tls === undefined, 'required', `protocol ${port.protocol} needs TLS settings`);
  } else if (tls !== undefined) {
    const redirectOnly = isHttp(protocol) && isPassthrough(tls) && !tls.caCertificates && !tls.privateKey && !tls.serverCertificate; // prettier-ignore
    const message = `protocol ${port.protocol} has no TLS; only httpsRedirect of HTTP servers can be set`;
    issues.errorIf(!redirectOnly, 'conflicting-fields', message);
  }
}
