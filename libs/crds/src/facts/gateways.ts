import {
  Gateway,
  GatewayPort,
  GatewayServer,
  IstioEgressListener,
  IstioIngressListener,
  ServerTLSSettings,
  Sidecar,
  SidecarOutboundTrafficPolicy,
  SidecarPort,
  TLSCertificate,
} from '@kedge/model';
import { describe } from './facts.ts';
import { atMostOneOf } from './rules.ts';

const bind = 'Address or Unix domain socket to listen on.';
const captureMode = 'How traffic gets to the listener.';

export const gateways = [
  describe(Gateway, {
    servers: 'Ports to listen on, and the hosts that are served there.',
    selector: 'Labels of the gateway workloads, all of them.',
  }),
  describe(GatewayServer, {
    port: 'The port.',
    bind,
    hosts: 'Names that are served, each as namespace/name or name; a wildcard prefix is allowed.',
    tls: 'TLS of the port.',
    defaultEndpoint: 'Not supported.',
    name: 'Name of the server, for statistics.',
  }),
  describe(GatewayPort, {
    number: 'Number of the port.',
    protocol: 'HTTP, HTTPS, GRPC, HTTP2, MONGO, TCP or TLS.',
    name: 'Name of the port.',
    targetPort: 'Port of the workload; not supported.',
  }),
  describe(
    ServerTLSSettings,
    {
      httpsRedirect: 'Whether plain HTTP is answered with a redirect to HTTPS.',
      mode: 'Whether TLS is ended here, and what is asked of clients.',
      serverCertificate: 'File of the certificate.',
      privateKey: 'File of the private key of the certificate.',
      caCertificates: 'File of the authorities by which certificates of clients are checked.',
      caCrl: 'File of revoked certificates.',
      credentialName: 'Secret that has certificate, key and maybe authorities, in place of files.',
      credentialNames: { about: 'Secrets, one for each type of key.', minItems: 1, maxItems: 2 },
      caCertCredentialName: 'Secret or ConfigMap that has the authorities alone.',
      tlsCertificates: { about: 'Files, one row for each type of key.', minItems: 1, maxItems: 2 },
      subjectAltNames: "Names of which a client's certificate must have one.",
      verifyCertificateSpki: "Base64 SHA-256 hashes of public keys, of which a client's certificate must have one.",
      verifyCertificateHash: "Hex SHA-256 hashes of certificates, of which a client's must be one.",
      minProtocolVersion: 'Lowest version of TLS.',
      maxProtocolVersion: 'Highest version of TLS.',
      cipherSuites: "Ciphers to offer, in place of Envoy's.",
      insecureSkipVerify: { about: 'Takes any certificate of clients, unchecked.', nullable: true },
      ecdhCurves: "Key exchange curves to offer, in place of Envoy's.",
    },
    [
      atMostOneOf(['tlsCertificates', 'credentialNames'], 'only one of credentialNames or tlsCertificates can be set'),
      atMostOneOf(['credentialName', 'credentialNames'], 'only one of credentialName or credentialNames can be set'),
      atMostOneOf(['credentialNames', 'tlsCertificates'], 'only one of credentialName or tlsCertificates can be set'),
    ],
  ),
  describe(TLSCertificate, {
    serverCertificate: 'File of the certificate.',
    privateKey: 'File of the private key.',
    caCertificates: 'File of the authorities by which certificates of clients are checked.',
  }),
  describe(Sidecar, {
    workloadSelector: 'Workloads it is for; all of the namespace where it is left out.',
    ingress: 'Listeners for traffic to the workload, in place of those of its services.',
    egress: 'Listeners for traffic from the workload, and the services seen there.',
    inboundConnectionPool: 'Limits of the connections to the workload.',
    outboundTrafficPolicy: 'What happens to traffic for hosts that are not known.',
  }),
  describe(IstioIngressListener, {
    port: 'The port.',
    bind,
    captureMode,
    defaultEndpoint: 'Address of the workload, as IP:PORT or unix:///path.',
    tls: 'TLS of the port.',
    connectionPool: 'Limits of the connections to the port.',
  }),
  describe(IstioEgressListener, {
    port: 'The port; all ports that no other listener has where it is left out.',
    bind,
    captureMode,
    hosts: 'Services seen, as namespace/name; "." is the own namespace, "~" none, "*" all.',
  }),
  describe(SidecarPort, {
    number: 'Number of the port.',
    protocol: 'Protocol of the port.',
    name: 'Name of the port.',
    targetPort: 'Port of the workload; not supported.',
  }),
  describe(SidecarOutboundTrafficPolicy, {
    mode: 'Whether it is let through or refused.',
    egressProxy: 'Service that it is sent to.',
  }),
];
