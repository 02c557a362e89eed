import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PushContext } from '@kedge/pushcontext';
import { meshOf, proxyOf, serviceManifest, withObjects, withoutObject } from '../testing/mesh.ts';
import { virtualServiceManifest } from '../testing/routes.ts';
import { sidecarRouteConfiguration } from './sidecar-route-configuration.ts';

/* Small meshes whose objects collide: few hosts, names and namespaces. */

const NAMESPACES = ['shop', 'bank'];
const namespace = fc.constantFrom(...NAMESPACES);
const service = fc
  .record({ name: fc.constantFrom('web', 'cart'), namespace, port: fc.constantFrom(80, 8080) })
  .map(({ name, ...rest }) => serviceManifest(name, rest));
const host = fc.constantFrom(
  'web',
  'cart',
  'web.shop.svc.cluster.local',
  '"*.shop.svc.cluster.local"',
  'a.example',
  '"*"',
);
const match = fc.constantFrom('', 'match: [{uri: {prefix: /a}}], ', 'match: [{port: 80}, {sourceNamespace: bank}], ');
const virtualService = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c'),
    namespace,
    hour: fc.integer({ min: 0, max: 2 }),
    hosts: fc.uniqueArray(host, { minLength: 1, maxLength: 2 }),
    match,
    destination: fc.constantFrom('web', 'cart.bank.svc.cluster.local'),
    exportTo: fc.constantFrom('', 'exportTo: ["."], ', 'exportTo: [shop], '),
  })
  .map(({ name, hosts, match: rule, destination, exportTo, ...at }) =>
    virtualServiceManifest(
      name,
      `hosts: [${hosts.join(', ')}], ${exportTo}http: [{${rule}route: [{destination: {host: ${destination}}}]}]`,
      at,
    ),
  );
const entry = fc
  .record({ name: fc.constantFrom('one', 'two'), namespace, of: fc.constantFrom('a.example', 'web.shop.svc') })
  .map(
    ({ name, namespace: within, of }) => `
apiVersion: networking.istio.io/v1
kind: ServiceEntry
metadata: {name: ${name}, namespace: ${within}}
spec: {hosts: [${of}], ports: [{number: 80, name: http, protocol: HTTP}], resolution: DNS, addresses: [10.9.9.9]}
---`,
  );

/** Objects of different names, for of one name only the last counts. */
const objects = fc
  .array(fc.oneof(service, virtualService, entry), { maxLength: 8 })
  .map((list) => [...new Map(list.map((text) => [text.match(/^kind: .*\nmetadata: {name: \w+, namespace: \w+/m)?.[0], text])).values()]); // prettier-ignore

const clients = NAMESPACES.map((within) => proxyOf('client', { namespace: within }));
const NAMES = ['80', '8080', 'http_proxy', 'web.shop.svc.cluster.local:80'];

const answers = (push: PushContext): readonly (string | undefined)[] =>
  clients.flatMap((client) => NAMES.map((name) => push.evaluate(client, sidecarRouteConfiguration, name)?.version));

/** A VirtualService none of whose routes Envoy would take. */
const broken = virtualServiceManifest(
  'broken',
  'hosts: [web, new.example], http: [{match: [{uri: {regex: "("}}], route: [{destination: {host: web}}]}]',
);

describe('in any mesh', () => {
  test('the order of objects does not matter, nor what was asked for on the way', () => {
    fc.assert(
      fc.property(objects, (list) => {
        const reversed = [...list].reverse().reduce((push, next) => {
          answers(push);
          return withObjects(push, next);
        }, meshOf(''));
        expect(answers(reversed)).toEqual(answers(meshOf(list.join(''))));
      }),
      { numRuns: 60 },
    );
  });

  test('what is added and removed again leaves nothing, and step by step is as good as at once', () => {
    fc.assert(
      fc.property(objects, virtualService, (list, extra) => {
        const push = meshOf(list.join(''));
        const first = answers(push);
        const added = withObjects(push, extra.replace(/name: \w+/, 'name: extra'));
        answers(added);
        const [, within = ''] = /namespace: (\w+)/.exec(extra) ?? [];
        const removed = withoutObject(added, { kind: 'VirtualService', namespace: within, name: 'extra' });
        expect(answers(removed)).toEqual(first);
      }),
      { numRuns: 60 },
    );
  });

  test('a VirtualService that cannot be used changes nothing', () => {
    fc.assert(
      fc.property(objects, (list) => {
        const push = meshOf(list.join(''));
        const before = answers(push);
        expect(answers(withObjects(push, broken))).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });
});
