import { destinationRule, type MeshObject, serviceEntry, virtualService } from '../mesh/objects.ts';
import { type Entrances, type Upstreams, type Version, versions } from '../mesh/traffic-mesh.ts';

const names = Object.keys(versions) as readonly Version[];

/** Services that are no HTTP: one of TCP, and two of TLS that are told apart by SNI. */
export function streamObjects(upstreams: Upstreams, { tcp, tls }: Entrances): readonly MeshObject[] {
  const service = (id: string, host: string, kind: 'tcp' | 'tls', port: number): readonly MeshObject[] => [
    serviceEntry(id, {
      hosts: [host],
      ports: [{ number: port, name: kind, protocol: kind.toUpperCase() }],
      location: 'MESH_INTERNAL',
      resolution: 'STATIC',
      endpoints: names.map((version) => ({
        address: upstreams[kind][version].address,
        ports: { [kind]: upstreams[kind][version].port },
        labels: { version },
      })),
    }),
    destinationRule(id, {
      host,
      trafficPolicy: { loadBalancer: { localityLbSetting: { enabled: false } } },
      subsets: names.map((version) => ({ name: version, labels: { version } })),
    }),
  ];
  const sni = (name: string, host: string, subset: Version): object => ({
    match: [{ sniHosts: [name], port: tls.port }],
    route: [{ destination: { host, subset } }],
  });
  return [
    ...service('stream', 'stream.test', 'tcp', tcp.port),
    virtualService('stream', {
      hosts: ['stream.test'],
      tcp: [{ match: [{ port: tcp.port }], route: [{ destination: { host: 'stream.test', subset: 'v2' } }] }],
    }),
    ...['a', 'b'].flatMap((name) => service(`tls-${name}`, `${name}.example.com`, 'tls', tls.port)),
    virtualService('tls', {
      hosts: ['a.example.com', 'b.example.com'],
      tls: [sni('a.example.com', 'a.example.com', 'v1'), sni('b.example.com', 'b.example.com', 'v3')],
    }),
  ];
}

/** A host outside of the mesh, found by DNS. */
export function externalObjects({ external }: Upstreams, { http }: Entrances): readonly MeshObject[] {
  return [
    serviceEntry('external', {
      hosts: ['external.test'],
      ports: [{ number: http.port, name: 'http', protocol: 'HTTP' }],
      location: 'MESH_EXTERNAL',
      resolution: 'DNS',
      endpoints: [{ address: 'localhost', ports: { http: external.port } }],
    }),
  ];
}
