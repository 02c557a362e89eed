import type { Proxy } from '@kedge/model';
import { decodeResource } from '@kedge/render';
import fc from 'fast-check';
import { type Answers, answersOf, type ShortType } from '../answers.ts';
import { advanced, anyMesh, freshContext, keyText } from '../mesh.ts';
import { admit } from '../objects/index.ts';
import { isAlias } from '../objects/is-alias.ts';
import { HOSTS, namespace, objectName, portNumber } from '../objects/names.ts';
import { someProxies } from '../proxies.ts';
import { invariant } from './invariant.ts';

const host = fc.constantFrom(...HOSTS.filter((name) => !name.startsWith('*')));

const API = 'networking.istio.io/v1';

/** Objects about certain hosts that may clash with others about the same, and the types in which no other host changes. */
const clashing = fc
  .record({
    one: host,
    other: host,
    place: namespace,
    name: objectName,
    port: portNumber,
    kind: fc.constantFrom('VirtualService', 'ServiceEntry', 'DestinationRule'),
  }) // prettier-ignore
  .map(({ one, other, place, name, port, kind }) => {
    const specs: Readonly<Record<string, object>> = {
      VirtualService: { hosts: [one], http: [{ route: [{ destination: { host: other, port: { number: port } } }] }] },
      ServiceEntry: {
        hosts: [one],
        ports: [{ number: port, name: 'clash', protocol: port === 9000 ? 'TCP' : 'HTTP' }],
        resolution: 'STATIC',
        // No proxy's own.
        endpoints: [{ address: '10.9.0.1' }],
      },
      DestinationRule: { host: one, trafficPolicy: { loadBalancer: { simple: 'RANDOM' } } },
    };
    const object = admit({ apiVersion: API, kind, metadata: { name, namespace: place }, spec: specs[kind] });
    if (!object) throw new Error(`a ${kind} for ${one} is invalid`);
    // Routes of other hosts may depend on a service or a DestinationRule of this one.
    const types: readonly ShortType[] = kind === 'VirtualService' ? ['CDS', 'EDS', 'RDS'] : ['CDS', 'EDS'];
    return { object, hosts: [one, other], types };
  });

/** Clusters, assignments and virtual hosts by name, with their content. */
function partsOf(answers: Answers, types: readonly ShortType[]): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (const type of types) {
    for (const resource of answers[type]) {
      if (type !== 'RDS') parts.set(`${type} ${resource.name}`, resource.version);
      else
        for (const [name, content] of virtualHostsOf(resource)) parts.set(`${type} ${resource.name} ${name}`, content);
    }
  }
  return parts;
}

interface VirtualHost {
  readonly name: string;
  readonly domains: readonly string[];
}

/** Addresses are left out: where two services claim one, the service with a route of its own has it. */
function virtualHostsOf(resource: Answers['RDS'][number]): readonly (readonly [string, string])[] {
  const { virtualHosts = [] } = decodeResource(resource) as { readonly virtualHosts?: readonly VirtualHost[] };
  return virtualHosts.map((virtualHost) => {
    const domains = virtualHost.domains.filter((domain) => !/^[\d[]/.test(domain));
    return [virtualHost.name, JSON.stringify({ ...virtualHost, domains })];
  });
}

export const unrelatedHosts = invariant(
  'what is said of one host changes or takes away nothing of another',
  40,
  fc.record({ mesh: anyMesh, clash: clashing, proxies: someProxies(2) }),
  ({ mesh, clash: { object, hosts, types }, proxies }) => {
    const objects = mesh.objects.filter((other) => keyText(other) !== keyText(object) && !isAlias(other));
    const before = { ...mesh, objects };
    const after = { ...before, objects: [...before.objects, object] };
    const push = freshContext(before);
    const parts = (context: typeof push, proxy: Proxy) => partsOf(answersOf(context, proxy), types);
    const had = proxies.map((proxy) => parts(push, proxy));
    const next = advanced(push, before, after);
    proxies.forEach((proxy, at) => {
      const has = parts(next, proxy);
      for (const [name, content] of had[at] ?? []) {
        if (name.includes('inbound|') || hosts.some((host) => name.includes(host))) continue;
        if (has.get(name) !== content) throw new Error(`${keyText(object)} of ${hosts.join()} changed ${name} for ${proxy.nodeId}: ${has.get(name)} instead of ${content}`); // prettier-ignore
      }
    });
  },
);
