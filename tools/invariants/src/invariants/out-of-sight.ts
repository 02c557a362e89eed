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

/** Before and after an object is added to a mesh without those that are left out. */
interface Addition {
  readonly before: Mesh;
  readonly after: Mesh;
  readonly object: Config;
  readonly proxies: readonly Proxy[];
}

function additionTo(
  { mesh, object, proxies }: { readonly mesh: Mesh; readonly object: Config; readonly proxies: readonly Proxy[] },
  leftOut: (other: Config) => boolean,
): Addition {
  const objects = mesh.objects.filter(
    (other) => keyText(other) !== keyText(object) && !isAbout(other, proxies) && !leftOut(other),
  );
  return { before: { ...mesh, objects }, after: { ...mesh, objects: [...objects, object] }, object, proxies };
}

/** Throws if the addition changes anything for the proxies. */
function expectUnseen({ before, after, object, proxies }: Addition): void {
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
    fc.pre(!isAbout(example.object, example.proxies));
    expectUnseen(additionTo(example, ({ kind, namespace }) => kind === 'ServiceEntry' && namespace === OTHERS));
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

/** An object of the other namespace, and sidecars that are bound to their own. */
export const boundToOwn: fc.Arbitrary<Addition> = fc
  .record({ mesh: anyMesh, object: othersObject, proxies: sidecars })
  .filter(({ object, proxies }) => !isAbout(object, proxies))
  .map(({ mesh: { settings, objects }, object, proxies }) => {
    if (!ownOnly) throw new Error('the Sidecar that binds to the own namespace is invalid');
    const bound = {
      settings: { ...settings, mesh: { ...settings.mesh, rootNamespace: ROOT_NAMESPACE } },
      objects: [...objects.filter(({ kind, namespace }) => kind !== 'Sidecar' || namespace === OTHERS), ownOnly],
    };
    return additionTo({ mesh: bound, object, proxies }, ({ kind }) => ROUTES.includes(kind));
  });

export const outOfScope = invariant(
  'a change in another namespace is nothing to sidecars that are bound to their own',
  40,
  boundToOwn,
  expectUnseen,
);
