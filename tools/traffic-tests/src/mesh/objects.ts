/* Istio's objects, as they stand in files of the watched folder. JSON is YAML too. */

export interface MeshObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: object;
}

/** Where all that is tested lives. */
export const NAMESPACE = 'test';

const networking =
  (kind: string) =>
  (name: string, spec: object): MeshObject => ({
    apiVersion: 'networking.istio.io/v1',
    kind,
    metadata: { name, namespace: NAMESPACE },
    spec,
  });

export const serviceEntry = networking('ServiceEntry');
export const virtualService = networking('VirtualService');
export const destinationRule = networking('DestinationRule');
export const gateway = networking('Gateway');
export const sidecar = networking('Sidecar');

/** No proxy has certificates for the mesh. */
export const plainText: MeshObject = {
  apiVersion: 'security.istio.io/v1',
  kind: 'PeerAuthentication',
  metadata: { name: 'default', namespace: 'istio-system' },
  spec: { mtls: { mode: 'DISABLE' } },
};

export const fileOf = (objects: readonly MeshObject[]): string =>
  objects.map((object) => JSON.stringify(object, undefined, 2)).join('\n---\n');
