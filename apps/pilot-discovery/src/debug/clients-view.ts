import { TYPE_URLS } from '@kedge/networking';
import type { ConnectionStatus, WatchStatus } from '@kedge/xds-core';
import type { MeshClient } from '../xds/mesh-client.ts';

/** A connected client, as the server knows it. */
export type Client = ConnectionStatus<MeshClient>;

/** Who is connected, and watches what. */
export function adsz(clients: readonly Client[]): unknown {
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

export function connections(clients: readonly Client[]): unknown {
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

/** What clients were sent and accepted; of one namespace, where one is named. */
export function syncz(clients: readonly Client[], namespace: string | null): unknown {
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
