import type { PushRequest } from '@kedge/model';
import { TYPE_URLS } from '@kedge/networking';
import type { XdsEvent, XdsObserver } from '@kedge/xds-core';
import type { DiscoveryMetrics } from '../metrics.ts';
import type { MeshClient } from './mesh-client.ts';
import type { MeshRefusals } from './refusals.ts';
import { shortType } from './short-type.ts';

type Event = XdsEvent<MeshClient, PushRequest>;

const rejectGauges = {
  cds: 'pilot_xds_cds_reject',
  eds: 'pilot_xds_eds_reject',
  lds: 'pilot_xds_lds_reject',
  rds: 'pilot_xds_rds_reject',
} as const;

/** Counts and times what happens in the engine. */
export function observeMetrics(metrics: DiscoveryMetrics): XdsObserver<MeshClient, PushRequest> {
  const connections = new Map<string, number>();
  const rejects = new Map<string, { readonly node: string; readonly err: string }>();
  let largestRequest = 0;
  const countConnection = (version: string, change: number): void => {
    const count = (connections.get(version) ?? 0) + change;
    connections.set(version, count);
    metrics.pilot_xds.set(count, { version });
  };
  const clearReject = (connectionId: string, type: string): void => {
    if (rejects.size === 0) return;
    const key = `${connectionId}/${type}`;
    const labels = rejects.get(key);
    if (!labels || !isRejectType(type)) return;
    rejects.delete(key);
    metrics[rejectGauges[type]].remove(labels);
  };
  return (event: Event) => {
    switch (event.kind) {
      case 'configUpdate':
        for (const [type, count] of event.request.reason) metrics.pilot_inbound_updates.add(count, { type });
        break;
      case 'pushStarted':
        metrics.pilot_pushcontext_init_seconds.observe(event.snapshotMs / 1000);
        metrics.pilot_debounce_time.observe(event.debounceMs / 1000);
        for (const [type, count] of event.request.reason) metrics.pilot_push_triggers.add(count, { type });
        break;
      case 'dequeued':
        metrics.pilot_proxy_queue_time.observe(event.queuedMs / 1000);
        break;
      case 'sent': {
        const type = shortType(event.typeUrl);
        metrics.pilot_xds_pushes.increment({ type });
        metrics.pilot_xds_push_time.observe((event.generateMs + event.writeMs) / 1000, { type });
        metrics.pilot_xds_send_time.observe(event.writeMs / 1000);
        metrics.pilot_xds_config_size_bytes.observe(event.bytes, { type: event.typeUrl });
        break;
      }
      case 'pushed':
        metrics.pilot_proxy_convergence_time.observe(event.totalMs / 1000);
        break;
      case 'ack':
        clearReject(event.connection.id, shortType(event.typeUrl));
        break;
      case 'nack': {
        const type = shortType(event.typeUrl);
        metrics.pilot_total_xds_rejects.increment({ type });
        if (!isRejectType(type)) break;
        clearReject(event.connection.id, type);
        const labels = { node: event.connection.client.proxy.id, err: String(event.nack.code) };
        rejects.set(`${event.connection.id}/${type}`, labels);
        metrics[rejectGauges[type]].set(1, labels);
        break;
      }
      case 'request':
        if (event.bytes > largestRequest) metrics.pilot_xds_recv_max.set((largestRequest = event.bytes));
        break;
      case 'staleNonce':
        metrics.pilot_xds_expired_nonce.increment({ type: shortType(event.typeUrl) });
        break;
      case 'ackTimeout':
        metrics.pilot_xds_write_timeout.increment();
        break;
      case 'generateFailed':
      case 'snapshotFailed':
        metrics.pilot_total_xds_internal_errors.increment();
        break;
      case 'opened':
        countConnection(event.connection.client.proxy.metadata.istioVersion || 'unknown', 1);
        break;
      case 'closed':
        countConnection(event.connection.client.proxy.metadata.istioVersion || 'unknown', -1);
        for (const type of Object.keys(rejectGauges)) clearReject(event.connection.id, type);
        break;
      case 'debounced':
      case 'queued':
      case 'skipped':
      case 'unchanged':
      case 'unknownType':
      case 'rejected':
        break;
    }
  };
}

/** Sets how many resources are kept from clients now, for every type. */
export function recordRefusals({ pilot_xds_refused_resources: gauge }: DiscoveryMetrics, refusals: MeshRefusals): void {
  const counts = new Map(Object.values(TYPE_URLS).map((typeUrl) => [shortType(typeUrl), 0]));
  for (const { typeUrl } of refusals.list()) {
    const type = shortType(typeUrl);
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  for (const [type, count] of counts) gauge.set(count, { type });
}

function isRejectType(type: string): type is keyof typeof rejectGauges {
  return type in rejectGauges;
}
