import { encodeAny, packAny, wrapAny } from '@kedge/envoy-api';
import { TYPE_URLS } from '@kedge/networking';
import {
  Answer,
  debugGeneratorKey,
  debugTypePrefix,
  type EncodedResource,
  type GenerateContext,
} from '@kedge/xds-core';
import type { PushContext } from '@kedge/pushcontext';
import type { ControlPlane } from '../control-plane.ts';
import type { MeshClient } from '../xds/mesh-client.ts';
import type { MeshGenerator, MeshGenerators } from '../xds/mesh-generators.ts';
import type { Client } from './clients-view.ts';
import { clientOf, configDump } from './config-dump.ts';
import type { DebugRoutes } from './debug-endpoints.ts';

type Context = GenerateContext<PushContext, MeshClient>;

/** Types whose state `syncz` tells, in Istio's order. */
const syncedTypes = [TYPE_URLS.CDS, TYPE_URLS.LDS, TYPE_URLS.RDS, TYPE_URLS.EDS, TYPE_URLS.ECDS];

/**
 * Answers what istioctl asks over xDS. The type `istio.io/debug` takes the name of a debug endpoint with its query, such as
 * `adsz` or `config_dump?proxyID=web.shop`, and gives its JSON; `istio.io/debug/syncz` gives a ClientConfig for each client,
 * `istio.io/debug/config_dump` the dump of the proxy whose id is the name. Others than local clients get nothing.
 */
export function registerDebugGenerators(generators: MeshGenerators, plane: ControlPlane, routes: DebugRoutes): void {
  generators.register(
    debugTypePrefix,
    debugGenerator((context) => pages(context, routes)),
  );
  generators.register(
    debugGeneratorKey,
    debugGenerator((context) => {
      const others = plane.server.clients().filter(({ client }) => client !== context.client);
      switch (context.typeUrl) {
        case `${debugTypePrefix}/syncz`:
          return others.map(clientConfig);
        case `${debugTypePrefix}/config_dump`:
          return dumps(others, context);
        default:
          return [];
      }
    }),
  );
}

/** Nothing is said to clients from elsewhere, and nothing is pushed later. */
function debugGenerator(generate: (context: Context) => readonly EncodedResource[]): MeshGenerator {
  return {
    oneShot: true,
    generate: (context) => (context.client.isLocal ? new Answer(generate(context)) : undefined),
  };
}

function pages({ subscription }: Context, routes: DebugRoutes): readonly EncodedResource[] {
  return subscription.names.map((name) => {
    const url = new URL(`/debug/${name}`, 'http://localhost');
    const request = { method: 'GET', path: url.pathname, query: url.searchParams, peer: '127.0.0.1' };
    const body = routes.get(url.pathname)?.(request).body ?? `there is no debug endpoint ${name}\n`;
    return resource(name, wrapAny(debugTypePrefix, Buffer.from(body)));
  });
}

function clientConfig({ id, client: { proxy }, watched }: Client): EncodedResource {
  const { clusterId, istioVersion } = proxy.metadata;
  const message = {
    node: {
      id: proxy.id,
      metadata: { CLUSTER_ID: clusterId, NAMESPACE: proxy.configNamespace, ISTIO_VERSION: istioVersion },
    },
    genericXdsConfigs: syncedTypes.map((typeUrl) => {
      const status = watched.find((one) => one.typeUrl === typeUrl);
      return { typeUrl, configStatus: syncStatus(status) };
    }),
  };
  return resource(id, encodeAny(packAny('envoy.service.status.v3.ClientConfig', message)));
}

function syncStatus(status: Client['watched'][number] | undefined): 'NOT_SENT' | 'SYNCED' | 'STALE' {
  if (!status?.nonceSent) return 'NOT_SENT';
  return status.nonceAcked === status.nonceSent ? 'SYNCED' : 'STALE';
}

function dumps(clients: readonly Client[], { subscription }: Context): readonly EncodedResource[] {
  const client = clientOf(clients, subscription.names[0] ?? '');
  if (!client) return [];
  return configDump(client, { endpoints: true }).map((part) => resource(String(part['@type']), encodeAny(part)));
}

const resource = (name: string, any: Uint8Array): EncodedResource => ({ name, version: '', any });
