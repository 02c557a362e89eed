import type { ConfigKind } from '@kedge/model';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'date' | 'string';
  readonly description: string;
  readonly jsonPath: string;
}

export interface KindFacts {
  readonly about: string;
  /** Whether the API server refuses an object without a spec. */
  readonly specRequired?: true;
  readonly columns: readonly PrinterColumn[];
}

const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: 'Time since the object was made.',
  jsonPath: '.metadata.creationTimestamp',
};

function column(name: string, path: string, description: string): PrinterColumn {
  return { name, type: 'string', description, jsonPath: `.spec.${path}` };
}

export const kindFacts: Readonly<Record<ConfigKind, KindFacts>> = {
  AuthorizationPolicy: {
    about: 'Who may do what at the selected workloads.',
    columns: [column('Action', 'action', 'What happens to requests that match.'), AGE],
  },
  DestinationRule: {
    about: 'How clients treat a host once a route has chosen it.',
    columns: [column('Host', 'host', 'Name of the service.'), AGE],
  },
  EnvoyFilter: { about: 'Patches to the generated configuration of the selected proxies.', columns: [] },
  Gateway: { about: 'Ports at the edge of the mesh, and the hosts that are served there.', columns: [] },
  PeerAuthentication: {
    about: 'Whether the selected workloads demand mutual TLS of their clients.',
    columns: [column('Mode', 'mtls.mode', 'What is asked of clients.'), AGE],
  },
  ProxyConfig: { about: 'Settings of the selected proxies that stand above those of the mesh.', columns: [] },
  RequestAuthentication: { about: 'Which tokens of end users the selected workloads accept.', columns: [] },
  ServiceEntry: {
    about: 'A service that the platform does not know of itself.',
    specRequired: true,
    columns: [
      column('Hosts', 'hosts', 'Names of the service.'),
      column('Location', 'location', 'Whether the service is part of the mesh.'),
      column('Resolution', 'resolution', 'How addresses of endpoints are found.'),
      AGE,
    ],
  },
  Sidecar: { about: 'What the selected sidecars see of the mesh, and the listeners they open.', columns: [] },
  Telemetry: { about: 'Traces, metrics and access logs of the selected workloads.', columns: [AGE] },
  TrafficExtension: {
    about: 'A Wasm or Lua filter for the selected workloads.',
    specRequired: true,
    columns: [AGE],
  },
  VirtualService: {
    about: 'Routes for the traffic to a set of hosts.',
    columns: [
      column('Gateways', 'gateways', 'Gateways the routes are for.'),
      column('Hosts', 'hosts', 'Names that clients ask for.'),
      AGE,
    ],
  },
  WasmPlugin: { about: 'A Wasm filter for the selected workloads.', specRequired: true, columns: [AGE] },
  WorkloadEntry: {
    about: 'One endpoint outside the platform, such as a virtual machine.',
    specRequired: true,
    columns: [AGE, column('Address', 'address', 'Address of the endpoint.')],
  },
  WorkloadGroup: {
    about: 'What the entries of workloads that register themselves have in common.',
    specRequired: true,
    columns: [AGE],
  },
};
