import type { Config, Proxy } from '@kedge/model';
import fc from 'fast-check';
import { stateOf } from '../answers.ts';
import { advanced, anyMesh, freshContext, keyText, type Mesh } from '../mesh.ts';
import { admit, objectsOfKind } from '../objects/index.ts';
import { ROOT_NAMESPACE } from '../objects/names.ts';
import { isAlias } from '../objects/is-alias.ts';
import { someProxies } from '../proxies.ts';
import { expectSame, invariant } from './invariant.ts';

const OTHERS = 'bank';
const OWN = 'shop';

const EXPORT_ANNOTATION = 'networking.istio.io/exportTo';

/** An object of the other namespace that only this namespace may see. */
const privateObject: fc.Arbitrary<Config> = fc.oneof(
  objectsOfKind('Service')
    .filter((object) => !isAlias(object))
    .map((object) => ({
      ...object,
      namespace: OTHERS,
      // The label would make it a gateway between networks, which is a matter for all.
      labels: {},
      annotations: { [EXPORT_ANNOTATION]: '.' },
    })),
  ...['ServiceEntry', 'DestinationRule', 'VirtualService'].map((kind) =>
    objectsOfKind(kind)
      // Whoever sees the root sees what it delegates to, wherever that is exported.
      .filter(
        ({ spec }) => kind !== 'VirtualService' || (spec as { readonly hosts: readonly string[] }).hosts.length > 0,
      )
      .map((object) => ({ ...object, namespace: OTHERS, spec: { ...(object.spec as object), exportTo: ['.'] } })),
  ),
);

const sidecars = someProxies(6).map((proxies) =>
  proxies.filter(({ type, configNamespace }) => type === 'sidecar' && configNamespace === OWN),
);

/**
 * Whether an object of the other namespace is about the address of one of the proxies: two workloads with one address are
 * one, whatever their namespaces.
 */
const isAbout = ({ namespace, spec, status }: Config, proxies: readonly Proxy[]): boolean =>
  namespace === OTHERS &&
  proxies.some(({ ipAddresses }) => JSON.stringify({ spec, status }).includes(ipAddresses[0] ?? ''));

/** Throws if adding the object to the mesh (without those that are left out) changes anything for the proxies. */
function expectUnseen(
  { mesh, object, proxies }: { readonly mesh: Mesh; readonly object: Config; readonly proxies: readonly Proxy[] },
  leftOut: (other: Config) => boolean,
): void {
  fc.pre(!isAbout(object, proxies));
  const objects = mesh.objects.filter(
    (other) => keyText(other) !== keyText(object) && !isAbout(other, proxies) && !leftOut(other),
  );
  const before = { ...mesh, objects };
  const after = { ...mesh, objects: [...objects, object] };
  const push = freshContext(before);
  const expected = stateOf(push, proxies);
  expectSame(proxies, stateOf(advanced(push, before, after), proxies), expected, keyText(object));
}

export const privateObjects = invariant(
  'an object that its namespace keeps to itself changes nothing for sidecars of others',
  40,
  fc.record({ mesh: anyMesh, object: privateObject, proxies: sidecars }),
  (example) => {
    // Endpoints of an entry join those of other services with the same host and namespace, which others may see.
    fc.pre(!JSON.stringify(example.object).includes(`.${OTHERS}.svc.`));
    expectUnseen(example, ({ kind, namespace }) => kind === 'ServiceEntry' && namespace === OTHERS);
  },
);

const ownOnly = admit({
  apiVersion: 'networking.istio.io/v1',
  kind: 'Sidecar',
  metadata: { name: 'own', namespace: OWN },
  spec: { egress: [{ hosts: ['./*'] }] },
});

/** Objects of the other namespace that matter only to those who see its services. */
const othersObject: fc.Arbitrary<Config> = fc
  .constantFrom('Service', 'EndpointSlice', 'ServiceEntry', 'DestinationRule', 'PeerAuthentication', 'Sidecar')
  .chain(objectsOfKind)
  .filter((object) => !isAlias(object))
  .map((object) => ({ ...object, namespace: OTHERS, ...(object.kind === 'Service' && { labels: {} }) }));

/** Routes may lead elsewhere, which brings the services there into view. */
const ROUTES = ['VirtualService', 'Ingress'];

export const outOfScope = invariant(
  'a change in another namespace is nothing to sidecars that are bound to their own',
  40,
  fc.record({ mesh: anyMesh, object: othersObject, proxies: sidecars }),
  ({ mesh: { settings, objects }, object, proxies }) => {
    if (!ownOnly) throw new Error('the Sidecar that binds to the own namespace is invalid');
    const bound = {
      settings: { ...settings, mesh: { ...settings.mesh, rootNamespace: ROOT_NAMESPACE } },
      objects: [...objects.filter(({ kind, namespace }) => kind !== 'Sidecar' || namespace === OTHERS), ownOnly],
    };
    expectUnseen({ mesh: bound, object, proxies }, ({ kind }) => ROUTES.includes(kind));
  },
);
