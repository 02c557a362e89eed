import fc from 'fast-check';

/* Random meshes of few names, ports and addresses, so that objects collide. */

export interface Piece {
  readonly kind: 'Service' | 'ServiceEntry' | 'VirtualService' | 'PeerAuthentication';
  readonly name: string;
  readonly namespace: string;
  readonly spec: string;
}

export const manifest = ({ kind, name, namespace, spec }: Piece): string => {
  const apiVersion = {
    Service: 'v1',
    ServiceEntry: 'networking.istio.io/v1',
    VirtualService: 'networking.istio.io/v1',
    PeerAuthentication: 'security.istio.io/v1',
  }[kind];
  return `\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: ${spec}\n---`;
};

export const manifests = (pieces: readonly Piece[]): string => pieces.map(manifest).join('');

const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const name = oneOf('a', 'b', 'c');
const namespace = oneOf('shop', 'other');
const port = oneOf(80, 443, 3000);
const host = oneOf('a.shop.svc.cluster.local', 'b.other.svc.cluster.local', 'x.example', '*.example', 'y.example');
const range = oneOf('10.0.0.0/8', '10.5.5.5/8', '10.1.0.0/16', '10.1.0.1');

const service = fc
  .record({
    name,
    namespace,
    port,
    address: oneOf('10.1.0.1', '10.1.0.2', 'None'),
    portName: oneOf('http', 'tcp', 'tls', 'data', 'mongo'),
  })
  .map(({ name, namespace, port, address, portName }): Piece => ({
    kind: 'Service',
    name,
    namespace,
    spec: `{clusterIP: "${address}", selector: {app: ${name}}, ports: [{name: ${portName}, port: ${port}, targetPort: 8080, protocol: TCP}]}`,
  }));

const serviceEntry = fc
  .record({
    name,
    namespace,
    port,
    host: oneOf('x.example', '*.example', 'y.example'),
    addresses: oneOf('', 'addresses: [10.1.0.0/16, 10.1.0.1], ', 'addresses: [10.1.0.2], '),
    protocol: oneOf('HTTP', 'TCP', 'TLS', 'MYSQL'),
    resolution: oneOf('NONE', 'STATIC'),
  })
  .map(({ name, namespace, port, host, addresses, protocol, resolution }): Piece => ({
    kind: 'ServiceEntry',
    name,
    namespace,
    spec: `{hosts: ["${host}"], ${addresses}location: MESH_EXTERNAL, resolution: ${resolution}, ports: [{number: ${port}, name: p, protocol: ${protocol}}]}`,
  }));

const tcpMatch = oneOf('', 'match: [{port: 80}], ').chain((fixed) =>
  fixed === ''
    ? fc
        .tuple(range, range)
        .map(([a, b]) => `match: [{destinationSubnets: ["${a}"]}, {destinationSubnets: ["${b}"]}], `)
    : fc.constant(fixed),
);
const tlsMatch = fc
  .tuple(host, host, range)
  .map(
    ([a, b, r]) =>
      `match: [{sniHosts: ["${a}"]}, {sniHosts: ["${a}", "${b}"], destinationSubnets: ["${r}"]}, {sniHosts: ["${b}", "${a}"]}], `,
  );

const virtualService = fc
  .record({ name, namespace, host, to: host, tcp: tcpMatch, tls: tlsMatch })
  .map(({ name, namespace, host, to, tcp, tls }): Piece => {
    const route = `route: [{destination: {host: "${to}"}, weight: 1}, {destination: {host: "${host}"}, weight: 2}]`;
    return {
      kind: 'VirtualService',
      name,
      namespace,
      spec: `{hosts: ["${host}"], tcp: [{${tcp}${route}}], tls: [{${tls}${route}}]}`,
    };
  });

const peerAuthentication = fc
  .record({
    name,
    namespace,
    mode: oneOf('STRICT', 'DISABLE', 'PERMISSIVE'),
    portMode: oneOf('STRICT', 'DISABLE', 'UNSET'),
    selects: fc.boolean(),
  })
  .map(({ name, namespace, mode, portMode, selects }): Piece => ({
    kind: 'PeerAuthentication',
    name,
    namespace,
    spec: selects
      ? `{selector: {matchLabels: {app: a}}, mtls: {mode: ${mode}}, portLevelMtls: {8080: {mode: ${portMode}}, 99: {mode: STRICT}}}`
      : `{mtls: {mode: ${mode}}}`,
  }));

/** One object. */
export const piece = fc.oneof(service, service, serviceEntry, virtualService, peerAuthentication);
export const pieceKey = ({ kind, namespace, name }: Piece): string => `${kind}/${namespace}/${name}`;

/** The objects of a mesh. */
export const meshPieces = fc.uniqueArray(piece, { maxLength: 14, selector: pieceKey });
