import type { ConfigSource } from '@kedge/config';
import { type Any, decodeAny } from '@kedge/envoy-api';
import type { Config } from '@kedge/model';
import { TYPE_URLS } from '@kedge/networking';
import type { ConnectionStatus, WatchStatus } from '@kedge/xds-core';
import type { ControlPlane } from '../control-plane.ts';
import type { Finding, Findings } from '../findings.ts';
import { type HttpHandler, type HttpRequest, type HttpResponse, json, type Routes, text } from '../http/http-server.ts';
import type { MeshClient } from '../xds/mesh-client.ts';
import type { PushHistory } from '../xds/push-history.ts';
import { endpointShardsView, servicesView } from './registry-view.ts';

type Client = ConnectionStatus<MeshClient>;

interface DebugEndpoint {
  readonly path: string;
  readonly help: string;
  readonly handle: HttpHandler;
}

/** What the debug endpoints look into. */
export interface DebugSubject {
  readonly plane: ControlPlane;
  readonly history: PushHistory;
  readonly findings: Findings;
}

/** The debug endpoints, by the paths and in the shapes that Istio's tools know. */
export function debugRoutes({ plane, history, findings }: DebugSubject): Routes {
  const clients = (): readonly Client[] => plane.server.clients();
  const endpoints: readonly DebugEndpoint[] = [
    { path: '/debug/adsz', help: 'connected clients and what they watch', handle: (r) => json(adsz(clients()), r) },
    { path: '/debug/syncz', help: 'what clients were sent and accepted', handle: (r) => json(syncz(clients(), r), r) },
    { path: '/debug/connections', help: 'connected clients', handle: (r) => json(connections(clients()), r) },
    {
      path: '/debug/config_dump',
      help: "a proxy's configuration (?proxyID=)",
      handle: (r) => configDump(clients(), r),
    },
    { path: '/debug/configz', help: 'objects in effect', handle: (r) => json(configz(plane.source), r) },
    { path: '/debug/registryz', help: 'services', handle: (r) => json(servicesView(plane.server.snapshot), r) },
    { path: '/debug/endpointz', help: 'endpoints', handle: (r) => json(endpointShardsView(plane.server.snapshot), r) },
    {
      path: '/debug/endpointShardz',
      help: 'endpoints',
      handle: (r) => json(endpointShardsView(plane.server.snapshot), r),
    },
    {
      path: '/debug/push_status',
      help: 'findings of the present state',
      handle: (r) => json(pushStatus(findings.list()), r),
    },
    { path: '/debug/pushes', help: 'the last pushes: why, what, to whom', handle: (r) => json(history.list(), r) },
  ];
  const list: DebugEndpoint = {
    path: '/debug/list',
    help: 'the debug endpoints',
    handle: (r) => json(endpoints.map(({ path }) => path.slice('/debug/'.length)).sort(), r),
  };
  const index: DebugEndpoint = { path: '/debug', help: 'this page', handle: () => indexPage([...endpoints, list]) };
  return new Map([...endpoints, list, index].map(({ path, handle }) => [path, onlyLoopback(handle)]));
}

/** Configuration tells much about a mesh. Until callers can be authenticated, only the machine itself may ask. */
function onlyLoopback(handle: HttpHandler): HttpHandler {
  return (request) => {
    const local = /^(?:::ffff:)?127\.|^::1$/.test(request.peer);
    return local ? handle(request) : text('debug endpoints are served to loopback only\n', 401);
  };
}

function indexPage(endpoints: readonly DebugEndpoint[]): HttpResponse {
  const rows = endpoints.map(
    ({ path, help }) => `<tr><td><a href="${path}?pretty">${path}</a></td><td>${help}</td></tr>`,
  );
  return { contentType: 'text/html', body: `<!doctype html><title>Debug</title><table>${rows.join('\n')}</table>\n` };
}

function adsz(clients: readonly Client[]): unknown {
  return {
    totalClients: clients.length,
    clients: clients.map((client) => ({
      ...connection(client),
      labels: client.client.proxy.metadata.labels,
      metadata: client.client.proxy.metadata.raw,
      locality: client.client.proxy.locality,
      watches: Object.fromEntries(
        client.watched.map(({ typeUrl: type, names, wildcard }) => [type, wildcard ? ['*', ...names] : names]),
      ),
    })),
  };
}

function connections(clients: readonly Client[]): unknown {
  return { totalClients: clients.length, clients: clients.map(connection) };
}

function connection({ id, connectedAt, peerAddress }: Client): Readonly<Record<string, string>> {
  return { connectionId: id, connectedAt: new Date(connectedAt).toISOString(), address: peerAddress };
}

/** Fields of a client's status per type, by the prefix that tools know. */
const syncFields = {
  cluster: TYPE_URLS.CDS,
  listener: TYPE_URLS.LDS,
  route: TYPE_URLS.RDS,
  endpoint: TYPE_URLS.EDS,
  extensionconfig: TYPE_URLS.ECDS,
} as const;

function syncz(clients: readonly Client[], { query }: HttpRequest): unknown {
  const namespace = query.get('namespace');
  return clients
    .filter(({ client }) => !namespace || client.proxy.configNamespace === namespace)
    .map(({ client: { proxy }, watched }) => {
      const byType = new Map(watched.map((status) => [status.typeUrl, status]));
      const versions = Object.entries(syncFields).flatMap(([prefix, type]) => {
        const status = byType.get(type);
        return [
          [`${prefix}_sent`, status?.nonceSent],
          [`${prefix}_acked`, status?.nonceAcked],
        ].filter(([, value]) => value);
      });
      return {
        cluster_id: proxy.metadata.clusterId,
        proxy: proxy.id,
        proxy_type: proxy.type,
        istio_version: proxy.metadata.istioVersion,
        ...Object.fromEntries(versions),
        resources: Object.fromEntries(watched.map((status) => [status.typeUrl, resourceStatus(status)])),
      };
    });
}

function resourceStatus({ nonceSent, nonceAcked, sentAt, nack }: WatchStatus): unknown {
  return {
    sent: nonceSent,
    acked: nonceAcked,
    ...(sentAt ? { sentTime: new Date(sentAt).toISOString() } : {}),
    ...(nack ? { lastError: nack.message } : {}),
  };
}

function configz(source: ConfigSource): unknown {
  return source
    .list()
    .filter(({ kind }) => kind !== 'Secret')
    .map(manifest);
}

function manifest({
  kind,
  group,
  version,
  name,
  namespace,
  labels,
  annotations,
  creationTimestamp,
  spec,
  status,
}: Config): unknown {
  return {
    apiVersion: group ? `${group}/${version}` : version,
    kind,
    metadata: { name, namespace, labels, annotations, creationTimestamp: new Date(creationTimestamp).toISOString() },
    spec,
    status,
  };
}

/** What is wrong with the present state, by rule and object; and for which proxy, where it is about what that one gets. */
function pushStatus(findings: readonly Finding[]): unknown {
  const status: Record<string, Record<string, unknown>> = {};
  for (const { code, kind, namespace, name, field, severity, message, file, line, proxy } of findings) {
    const object = [kind, namespace, name, field].filter(Boolean).join('/');
    (status[code] ??= {})[object || (file ?? '')] ??= { proxy, severity, message, file, line };
  }
  return status;
}

/** What a proxy was sent, in the form of Envoy's own `config_dump`. */
function configDump(clients: readonly Client[], request: HttpRequest): HttpResponse {
  const proxyId = request.query.get('proxyID');
  if (!proxyId) return text('You must provide a proxyID in the query string\n', 400);
  const found = clients.find(({ client: { proxy } }) => proxy.id === proxyId || proxy.nodeId === proxyId);
  if (!found)
    return text('Proxy not connected to this Pilot instance. It may be connected to another instance.\n', 404);
  const resources = (type: string): readonly Any[] =>
    found.watched.find((status) => status.typeUrl === type)?.answer.resources.map(({ any }) => decodeAny(any)) ?? [];
  const version = found.pushVersion;
  const dump = (name: string, fields: object): object => ({
    '@type': `type.googleapis.com/envoy.admin.v3.${name}`,
    ...fields,
  });
  const configs = [
    dump('BootstrapConfigDump', {}),
    dump('ClustersConfigDump', {
      versionInfo: version,
      dynamicActiveClusters: resources(TYPE_URLS.CDS).map((cluster) => ({ cluster })),
    }),
    ...(request.query.has('include_eds')
      ? [
          dump('EndpointsConfigDump', {
            dynamicEndpointConfigs: resources(TYPE_URLS.EDS).map((endpointConfig) => ({
              versionInfo: version,
              endpointConfig,
            })),
          }),
        ]
      : []),
    dump('ListenersConfigDump', {
      versionInfo: version,
      dynamicListeners: resources(TYPE_URLS.LDS).map((listener) => ({
        name: listener.name,
        activeState: { versionInfo: version, listener },
      })),
    }),
    dump('ScopedRoutesConfigDump', {}),
    dump('RoutesConfigDump', {
      dynamicRouteConfigs: resources(TYPE_URLS.RDS).map((routeConfig) => ({ versionInfo: version, routeConfig })),
    }),
    // Secrets are in no dump.
    dump('SecretsConfigDump', {}),
    dump('EcdsConfigDump', {
      ecdsFilters: resources(TYPE_URLS.ECDS).map((ecdsFilter) => ({ versionInfo: version, ecdsFilter })),
    }),
  ];
  return json({ configs }, request);
}
