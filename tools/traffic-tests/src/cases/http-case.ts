import { type Entrances, type Upstreams, type Version, versions } from '../mesh/traffic-mesh.ts';
import { destinationRule, type MeshObject, NAMESPACE, serviceEntry, virtualService } from '../mesh/objects.ts';
import type { HttpAnswer, HttpRequest } from '../client.ts';

type Fields = Readonly<Record<string, unknown>>;
export type Request = Omit<HttpRequest, 'host'>;

/** One route of a VirtualService, or the traffic policy of a DestinationRule, with what it must do to requests. */
export interface HttpCase {
  readonly name: string;
  /** The first label of the host that the case is about; each has a service of its own. */
  readonly id: string;
  /** The routes of its VirtualService; `to` makes their destinations. Without them there is none. */
  readonly http?: (to: Destinations) => readonly Fields[];
  readonly policy?: Fields;
  /** Requests, one after the other, with what their answers must match. */
  readonly exchanges?: readonly (readonly [request: Request, expected: Expected])[];
  /** What can't be said by single exchanges. */
  readonly check?: (use: Use) => Promise<void>;
}

/** What is demanded of an answer; `ms` is the least time that it took. */
export interface Expected {
  readonly status?: number;
  readonly server?: string;
  readonly path?: string;
  readonly host?: string;
  /** Headers of the request as it arrived, and of the answer; undefined for one that must not be there. */
  readonly arrived?: Readonly<Record<string, string | undefined>>;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly text?: string;
  readonly ms?: number;
}

export interface Use {
  readonly send: (request?: Request) => Promise<HttpAnswer>;
  readonly upstreams: Upstreams;
  /** Unique to the case and the way; requests that carry it are found again at the servers. */
  readonly mark: string;
}

/** Who answered a number of equal requests, sent at once. */
export async function serversOf(
  send: Use['send'],
  count: number,
  request?: Request,
): Promise<ReadonlySet<string | undefined>> {
  const answers = await Promise.all(Array.from({ length: count }, () => send(request)));
  return new Set(answers.map(({ echoed }) => echoed?.server));
}

export interface Destinations {
  (version: Version, more?: Fields): Fields;
  /** All versions. */
  readonly all: Fields;
}

export const hostOf = (id: string): string => `${id}.test`;

function destinationsOf(host: string): Destinations {
  const to = (version: Version, more: Fields = {}): Fields => ({ destination: { host, subset: version }, ...more });
  return Object.assign(to, { all: { destination: { host } } });
}

/** The service of a case, with its rules. */
export function objectsOfCase(
  { id, http, policy }: HttpCase,
  upstreams: Upstreams,
  { http: at }: Entrances,
): readonly MeshObject[] {
  const host = hostOf(id);
  const names = Object.keys(versions) as readonly Version[];
  const endpoints = names.map((version) => ({
    address: upstreams.http[version].address,
    ports: { http: upstreams.http[version].port },
    labels: { version },
    locality: versions[version],
  }));
  const routes = http?.(destinationsOf(host)) ?? [{ route: [destinationsOf(host).all] }];
  return [
    serviceEntry(id, {
      hosts: [host],
      ports: [{ number: at.port, name: 'http', protocol: 'HTTP' }],
      location: 'MESH_INTERNAL',
      resolution: 'STATIC',
      endpoints,
    }),
    destinationRule(id, {
      host,
      subsets: names.map((version) => ({ name: version, labels: { version } })),
      ...(policy && { trafficPolicy: policy }),
    }),
    virtualService(id, { hosts: [host], gateways: ['mesh', `${NAMESPACE}/edge`], http: routes }),
  ];
}
