import type { MeshRead } from '@kedge/config';
import type { Protocol, RouteDestination, Service } from '@kedge/model';
import { meshConfig, scopeServicesOfHost } from '@kedge/pushcontext';
import { outboundClusterName } from '../clusters/cluster-name.ts';
import { isDynamicDns } from '../clusters/dynamic-dns-cluster.ts';
import { outboundStatName } from '../clusters/stat-name.ts';
import type { L4Routes } from './l4-routes.ts';
import type { TcpTarget } from './listener-plan.ts';
import { ruleSettings } from './rule-settings.ts';

/** The port on which a listener takes connections. */
export interface ListenPort {
  readonly number: number;
  readonly protocol: Protocol;
  readonly name: string;
}

/** Connections that no route cares about go to the service that the listener is for. */
export function serviceTarget(read: MeshRead, service: Service, { number, protocol }: ListenPort): TcpTarget {
  // A listener of a Sidecar may have another port than the service; a sole port is what is meant then.
  const only = service.ports.length === 1 ? service.ports[0]?.port : undefined;
  const port = only ?? number;
  const cluster = outboundClusterName(service.hostname, port);
  return {
    kind: 'tcp',
    protocol,
    statPrefix: statPrefix(read, cluster, service, '', { port, name: '' }),
    targets: [{ cluster, weight: 1 }],
    ...settingsFor(read, service, ''),
    ...(isDynamicDns(service) ? { dynamic: { host: service.hostname, port: number } } : {}),
  };
}

/** Connections that a route of a VirtualService takes. */
export function routeTarget(
  read: MeshRead,
  { object }: Pick<L4Routes, 'object'>,
  routes: readonly RouteDestination[],
  listen: ListenPort,
): TcpTarget {
  const targets = routes.map(({ destination, weight = 0 }) => {
    const { host = '', subset = '', port } = destination ?? {};
    const service = serviceOf(read, host);
    const only = service?.ports.length === 1 ? service.ports[0]?.port : undefined;
    return {
      service,
      subset,
      weight,
      cluster: outboundClusterName(
        service?.kubernetes?.externalName || host,
        port?.number ?? only ?? listen.number,
        subset,
      ),
    };
  });
  const [first] = targets;
  const isSingle = targets.length === 1;
  const positive = targets.filter(({ weight }) => weight > 0);
  return {
    kind: 'tcp',
    protocol: listen.protocol,
    statPrefix:
      isSingle && first
        ? statPrefix(read, first.cluster, first.service, first.subset, { port: listen.number, name: listen.name })
        : `${object.name}.${object.namespace}`,
    targets: (isSingle ? targets : positive).map(({ cluster, weight }) => ({ cluster, weight })),
    ...(isSingle ? {} : { weighted: true }),
    // Settings of a subset count where all connections go there.
    ...settingsFor(read, first?.service, isSingle ? first?.subset : ''),
  };
}

function settingsFor(read: MeshRead, service: Service | undefined, subset = ''): Pick<TcpTarget, 'settings'> {
  const settings = service && ruleSettings(read, { host: service.hostname, namespace: service.namespace, subset });
  return settings ? { settings } : {};
}

function serviceOf(read: MeshRead, host: string): Service | undefined {
  return read(scopeServicesOfHost, host)[0];
}

function statPrefix(
  read: MeshRead,
  cluster: string,
  service: Service | undefined,
  subset: string,
  port: { readonly port: number; readonly name: string },
): string {
  const pattern = meshConfig(read).outboundClusterStatName;
  return pattern && service ? outboundStatName(pattern, { service, port, subset }) : cluster;
}
