import {
  ExecHealthCheckConfig,
  GrpcHealthCheckConfig,
  HTTPHealthCheckConfig,
  ProbeHeader,
  ProxyConfigResource,
  ProxyImage,
  ReadinessProbe,
  ServiceEntry,
  ServiceEntryPort,
  TCPHealthCheckConfig,
  WorkloadEntry,
  WorkloadGroup,
  WorkloadGroupMetadata,
} from '@kedge/model';
import { type Rule, describe } from './facts.ts';
import { HEADER_NAME, NOT_EMPTY, PORT, atMostOneOf } from './rules.ts';

const ADDRESS_REQUIRED: Rule = { rule: 'has(self.address) || has(self.network)', message: 'Address is required' };
const NO_PORTS_OF_SOCKETS: Rule = {
  rule: '(has(self.address) ? self.address : "").startsWith("unix://") ? !has(self.ports) : true',
  message: 'UDS may not include ports',
};

const port = { about: 'Port to ask.', rules: [PORT] };
const host = 'Host to ask; the workload where it is left out.';

export const workloads = [
  describe(
    ServiceEntry,
    {
      hosts: {
        about: 'Names of the service; a wildcard prefix is allowed where endpoints are not looked up.',
        minItems: 1,
        maxItems: 256,
        element: { rules: [{ rule: 'self != "*"', message: 'hostname cannot be wildcard' }] },
      },
      addresses: {
        about: 'Virtual addresses of the service, IPs or CIDRs.',
        maxItems: 256,
        element: { maxLength: 64 },
      },
      ports: {
        about: 'Ports of the service.',
        maxItems: 256,
        mapKeys: ['name'],
        rules: [
          {
            rule: 'self.all(l1, self.exists_one(l2, l1.number == l2.number))',
            message: 'port number cannot be duplicated',
          },
        ],
      },
      location: 'Whether the service is part of the mesh.',
      resolution: 'How addresses of endpoints are found.',
      endpoints: { about: 'Endpoints of the service.', maxItems: 4096 },
      workloadSelector: 'Labels of the pods and WorkloadEntry objects that are its endpoints.',
      exportTo: 'Namespaces that see the service: "." for its own, "*" for all.',
      subjectAltNames: "Names of which an endpoint's certificate must have one.",
    },
    [
      atMostOneOf(['workloadSelector', 'endpoints'], 'only one of WorkloadSelector or Endpoints can be set'),
      {
        rule:
          '!((has(self.addresses) ? self.addresses : []).exists(k, k.contains("/")) && ' +
          '!((has(self.resolution) ? self.resolution : "NONE") in ["STATIC", "NONE"]))',
        message: 'CIDR addresses are allowed only for NONE/STATIC resolution types',
      },
      {
        rule: '((has(self.resolution) ? self.resolution : "NONE") == "NONE") ? !has(self.endpoints) : true',
        message: 'NONE mode cannot set endpoints',
      },
      {
        rule:
          '((has(self.resolution) ? self.resolution : "") == "DNS_ROUND_ROBIN") ? ' +
          '((has(self.endpoints) ? self.endpoints : []).size() <= 1) : true',
        message: 'DNS_ROUND_ROBIN mode cannot have multiple endpoints',
      },
    ],
  ),
  describe(ServiceEntryPort, {
    number: { about: 'Number of the port.', rules: [PORT] },
    protocol: { about: 'HTTP, HTTPS, GRPC, HTTP2, MONGO, TCP or TLS.', maxLength: 256 },
    name: { about: 'Name of the port.', maxLength: 256 },
    targetPort: { about: 'Port of the endpoints, where it is another one.', rules: [PORT] },
  }),
  describe(
    WorkloadEntry,
    {
      address: {
        about: 'IP, DNS name or unix:///path of the endpoint.',
        maxLength: 256,
        rules: [
          {
            rule: 'self.startsWith("unix://") ? (self.substring(7, 8) == "/" || self.substring(7, 8) == "@") : true',
            message: 'UDS must be an absolute path or abstract socket',
          },
          {
            rule: 'self.startsWith("unix://") ? !self.endsWith("/") : true',
            message: 'UDS may not be a dir',
          },
        ],
      },
      ports: {
        about: 'Ports of the endpoint by name of the port of the service.',
        maxProperties: 128,
        rules: [
          {
            rule: 'self.all(key, size(key) < 63 && key.matches("^[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$"))',
            message: 'port name must be valid',
          },
        ],
        element: { rules: [PORT] },
      },
      labels: { about: 'Labels of the endpoint.', maxProperties: 256 },
      network: { about: 'Network the endpoint is in.', maxLength: 2048 },
      locality: { about: 'Place of the endpoint: region/zone/subzone.', maxLength: 2048 },
      weight: 'Share of the traffic, relative to the other endpoints.',
      serviceAccount: { about: 'Service account of the workload.', maxLength: 253 },
    },
    [ADDRESS_REQUIRED, NO_PORTS_OF_SOCKETS],
  ),
  describe(WorkloadGroup, {
    metadata: 'Labels and annotations of the entries.',
    // An address comes with each workload.
    template: { about: 'What the entries have in common.', rules: [NO_PORTS_OF_SOCKETS] },
    probe: 'How the health of a workload is found out.',
  }),
  describe(WorkloadGroupMetadata, {
    labels: { about: 'Labels to set.', maxProperties: 256 },
    annotations: { about: 'Annotations to set.', maxProperties: 256 },
  }),
  describe(ReadinessProbe, {
    initialDelaySeconds: { about: 'Seconds before the first probe.', minimum: 0 },
    timeoutSeconds: { about: 'Seconds after which a probe fails.', minimum: 0 },
    periodSeconds: { about: 'Seconds between probes.', minimum: 0 },
    successThreshold: { about: 'Successes in a row after which the workload is ready.', minimum: 0 },
    failureThreshold: { about: 'Failures in a row after which it is no longer ready.', minimum: 0 },
    httpGet: 'Ready if an HTTP request succeeds.',
    tcpSocket: 'Ready if a connection can be made.',
    exec: 'Ready if a command succeeds.',
    grpc: 'Ready if the gRPC health service says so.',
  }),
  describe(HTTPHealthCheckConfig, {
    path: 'Path to ask for.',
    port,
    host,
    scheme: {
      about: 'HTTP or HTTPS; HTTP where it is left out.',
      rules: [{ rule: 'self in ["", "HTTP", "HTTPS"]', message: 'scheme must be one of [HTTP, HTTPS]' }],
    },
    httpHeaders: 'Headers of the request.',
  }),
  describe(ProbeHeader, {
    name: { about: 'Name of the header.', pattern: HEADER_NAME },
    value: 'Value of the header.',
  }),
  describe(TCPHealthCheckConfig, { host, port }),
  describe(ExecHealthCheckConfig, {
    command: { about: 'The command and its arguments; no shell.', element: NOT_EMPTY },
  }),
  describe(GrpcHealthCheckConfig, { port, service: 'Name of the service to ask about.' }),
  describe(ProxyConfigResource, {
    selector: 'Workloads it is for; all of the namespace where it is left out.',
    concurrency: {
      about: 'Worker threads of the proxy; 0 for one a core, unset for what CPU limits say.',
      minimum: 0,
      nullable: true,
    },
    environmentVariables: { about: 'Environment variables of the proxy.', element: { maxLength: 2048 } },
    image: 'Image of the proxy.',
  }),
  describe(ProxyImage, { imageType: 'Variant of the image, e.g. distroless or debug.' }),
];
