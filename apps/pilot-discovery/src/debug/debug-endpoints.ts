import type { ControlPlane } from '../control-plane.ts';
import type { Findings } from '../findings.ts';
import { type HttpRequest, type HttpResponse, json, text } from '@kedge/observability';
import { isLoopback } from '../http/loopback.ts';
import type { PushHistory } from '../xds/push-history.ts';
import { adsz, type Client, connections, syncz } from './clients-view.ts';
import { clientOf, configDump } from './config-dump.ts';
import { explainPage } from './explain-view.ts';
import { nacks } from './nacks-view.ts';
import { configz, pushStatus } from './objects-view.ts';
import { endpointShardsView, servicesView } from './registry-view.ts';

type DebugHandler = (request: HttpRequest) => HttpResponse;

/** Handlers by path. */
export type DebugRoutes = ReadonlyMap<string, DebugHandler>;

interface DebugEndpoint {
  readonly path: string;
  readonly help: string;
  readonly handle: DebugHandler;
}

/** What the debug endpoints look into. */
export interface DebugSubject {
  readonly plane: ControlPlane;
  readonly history: PushHistory;
  readonly findings: Findings;
}

/** The debug endpoints, by the paths and in the shapes that Istio's tools know. */
export function debugRoutes({ plane, history, findings }: DebugSubject): DebugRoutes {
  const clients = (): readonly Client[] => plane.server.clients();
  const endpoints: readonly DebugEndpoint[] = [
    { path: '/debug/adsz', help: 'connected clients and what they watch', handle: (r) => json(adsz(clients()), r) },
    {
      path: '/debug/syncz',
      help: 'what clients were sent and accepted',
      handle: (r) => json(syncz(clients(), r.query.get('namespace')), r),
    },
    { path: '/debug/connections', help: 'connected clients', handle: (r) => json(connections(clients()), r) },
    {
      path: '/debug/config_dump',
      help: "a proxy's configuration (?proxyID=)",
      handle: (r) => dumpPage(clients(), r),
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
    {
      path: '/debug/nacks',
      help: 'what proxies refuse, what they are served instead, and which objects are to blame',
      handle: (r) => json(nacks(plane.server.snapshot, plane.refusals.list(), clients()), r),
    },
    {
      path: '/debug/explain',
      help: 'why a proxy has a resource, and what would change it (?proxy=&resource=TYPE/NAME[&piece=])',
      handle: (r) => explainPage(plane, r),
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
function onlyLoopback(handle: DebugHandler): DebugHandler {
  return (request) =>
    isLoopback(request.peer) ? handle(request) : text('debug endpoints are served to loopback only\n', 401);
}

function dumpPage(clients: readonly Client[], request: HttpRequest): HttpResponse {
  const proxyId = request.query.get('proxyID');
  if (!proxyId) return text('You must provide a proxyID in the query string\n', 400);
  const client = clientOf(clients, proxyId);
  if (!client) {
    return text('Proxy not connected to this Pilot instance. It may be connected to another instance.\n', 404);
  }
  return json({ configs: configDump(client, { endpoints: request.query.has('include_eds') }) }, request);
}

function indexPage(endpoints: readonly DebugEndpoint[]): HttpResponse {
  const rows = endpoints.map(
    ({ path, help }) => `<tr><td><a href="${path}?pretty">${path}</a></td><td>${help}</td></tr>`,
  );
  return { contentType: 'text/html', body: `<!doctype html><title>Debug</title><table>${rows.join('\n')}</table>\n` };
}
