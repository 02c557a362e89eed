import type { PushRequest } from '@kedge/model';
import type { Logger } from '@kedge/observability';
import type { XdsEvent, XdsObserver } from '@kedge/xds-core';
import type { MeshClient } from './mesh-client.ts';
import { shortType } from './short-type.ts';

const MOST_NAMES = 3;

/** Logs what operators look for: connections, pushes, refusals, errors; the rest at debug level. */
export function observeLog(log: Logger): XdsObserver<MeshClient, PushRequest> {
  return (event: XdsEvent<MeshClient, PushRequest>) => {
    switch (event.kind) {
      case 'pushStarted':
        log.info('push', {
          version: event.version,
          changes: summary(event.request),
          connections: event.connections,
          debounceMs: Math.round(event.debounceMs),
          snapshotMs: Math.round(event.snapshotMs),
        });
        break;
      case 'sent': {
        const type = shortType(event.typeUrl).toUpperCase();
        const { resources, removed, bytes, reason } = event;
        log.info(`${type}: sent to ${event.connection.nodeId}`, { resources, removed, bytes, reason });
        break;
      }
      case 'nack':
        log.warn(`${shortType(event.typeUrl).toUpperCase()}: refused by ${event.connection.nodeId}`, {
          error: event.nack.message,
        });
        break;
      case 'ackTimeout':
        log.warn(`${shortType(event.typeUrl).toUpperCase()}: no answer from ${event.connection.nodeId}`);
        break;
      case 'snapshotFailed':
        log.error('the change cannot be applied; the former state is served on', { error: event.error });
        break;
      case 'generateFailed':
        log.error(`${shortType(event.typeUrl).toUpperCase()}: cannot be generated for ${event.connection.nodeId}`, {
          error: event.error,
        });
        break;
      case 'opened':
        log.info(`new connection of ${event.connection.nodeId}`, {
          address: event.connection.peerAddress,
          protocol: event.connection.protocol,
        });
        break;
      case 'closed':
        log.info(`connection of ${event.connection.nodeId} ended`, { reason: event.reason });
        break;
      case 'rejected':
        log.warn('connection rejected', { address: event.peerAddress, reason: event.reason });
        break;
      case 'unknownType':
        log.warn(`${event.connection.nodeId} asks for the unknown type ${event.typeUrl}`);
        break;
      case 'skipped':
      case 'unchanged':
      case 'staleNonce':
        if (log.enabled('debug')) log.debug(event.kind, { node: event.connection.nodeId });
        break;
      case 'configUpdate':
      case 'debounced':
      case 'queued':
      case 'dequeued':
      case 'pushed':
      case 'ack':
      case 'request':
        break;
    }
  };
}

/** `VirtualService/shop/web and 4 more`. */
function summary({ configsUpdated }: PushRequest): string {
  const names = [...configsUpdated.keys()];
  const more = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
