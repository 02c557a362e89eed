import type { MeshFile } from './files.ts';
import { addressesOf, authorizationPolicy, destinationRule, serviceEntry, virtualService } from './manifests.ts';
import { clusterOf, hotServices, type MeshShape, namespaceOf, serviceAddress } from './shape.ts';

export type ShortType = 'CDS' | 'EDS' | 'LDS' | 'RDS';

/** How a client knows that it has received a change. */
export interface Marker {
  readonly type: ShortType;
  /** Part of the resource's name. */
  readonly name: string;
  /** Part of its bytes. */
  readonly content: string;
}

/** One step of a change: files that are written, with a pause after each. */
export interface Change {
  readonly files: readonly MeshFile[];
  readonly pauseMs: number;
  readonly marker: Marker;
  /** The namespace whose proxies receive it; all where absent. */
  readonly namespace?: string;
}

export type ChangeName = 'a' | 'b' | 'c' | 'd' | 'e' | 'f';

export interface ChangeKind {
  readonly about: string;
  /** @param step counts from 1; each step differs from all before it. */
  readonly make: (shape: MeshShape, step: number) => Change;
}

const BURST = 100;
const BURST_PAUSE_MS = 10;
const AUTHORIZATION_NAMESPACE = 'ns-3';

export const changeKinds: Readonly<Record<ChangeName, ChangeKind>> = {
  a: {
    about: 'endpoint',
    make: (shape, step) => {
      const { endpoint } = hotServices(shape);
      return {
        files: [movedEndpoint(endpoint, shape, step)],
        pauseMs: 0,
        marker: { type: 'EDS', name: clusterOf(endpoint, shape), content: '' },
        ...seenFrom(endpoint, shape),
      };
    },
  },
  b: {
    about: 'VirtualService',
    make: (shape, step) => {
      const { virtualService: service } = hotServices(shape);
      return {
        files: [[`vs/svc-${service}.yaml`, virtualService(service, shape, `mk${step}x`)]],
        pauseMs: 0,
        marker: { type: 'RDS', name: '', content: `beta-mk${step}x` },
        ...seenFrom(service, shape),
      };
    },
  },
  c: {
    about: 'DestinationRule',
    make: (shape, step) => {
      const { destinationRule: service } = hotServices(shape);
      return {
        files: [[`dr/svc-${service}.yaml`, destinationRule(service, shape, 100 + step)]],
        pauseMs: 0,
        marker: { type: 'CDS', name: clusterOf(service, shape), content: '' },
        ...seenFrom(service, shape),
      };
    },
  },
  d: {
    about: 'new service',
    make: (shape, step) => ({
      files: [[`se/new-${step}.yaml`, newService(shape, step)]],
      pauseMs: 0,
      marker: { type: 'EDS', name: `new-${step}.`, content: '' },
      ...seenFrom(0, shape),
    }),
  },
  e: {
    about: '100 changes',
    make: (shape, step) => {
      const { burst } = hotServices(shape);
      const first = Math.floor(shape.services * 0.4);
      const among = shape.services - 5 - first;
      const others = Array.from({ length: BURST - 1 }, (_, index) =>
        movedEndpoint(first + (index % among), shape, step * BURST + index),
      );
      return {
        files: [...others, movedEndpoint(burst, shape, step)],
        pauseMs: BURST_PAUSE_MS,
        marker: { type: 'EDS', name: clusterOf(burst, shape), content: '' },
        ...seenFrom(burst, shape),
      };
    },
  },
  f: {
    about: 'AuthorizationPolicy',
    make: (_shape, step) => ({
      files: [[`authz/${AUTHORIZATION_NAMESPACE}.yaml`, authorizationPolicy(AUTHORIZATION_NAMESPACE, `mk${step}x`)]],
      pauseMs: 0,
      marker: { type: 'LDS', name: '', content: `/mk${step}x` },
      namespace: AUTHORIZATION_NAMESPACE,
    }),
  },
};

/** With a Sidecar only the service's own namespace sees the service. */
function seenFrom(service: number, shape: MeshShape): Pick<Change, 'namespace'> {
  return shape.sidecar ? { namespace: namespaceOf(service, shape) } : {};
}

/** The first endpoint of a service gets another address. */
function movedEndpoint(service: number, shape: MeshShape, step: number): MeshFile {
  const endpoints = [`10.250.${lastBytes(step)}`, ...addressesOf(service, shape).slice(1)];
  return [`se/svc-${service}.yaml`, serviceEntry(service, shape, { endpoints })];
}

function newService(shape: MeshShape, step: number): string {
  const number = shape.services + (step % 500);
  // Of the first namespace.
  const service = number - (number % shape.namespaces);
  return serviceEntry(service, shape, {
    name: `new-${step}`,
    host: `new-${step}.ns-0.svc.cluster.local`,
    address: serviceAddress(60_000 - (step % 3000)),
    endpoints: [`10.251.${lastBytes(step)}`],
  });
}

const lastBytes = (step: number): string => `${Math.floor(step / 250) % 250}.${1 + (step % 250)}`;
