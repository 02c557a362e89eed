import type { PushRequest } from '@kedge/model';
import type { Logger } from '@kedge/observability';
import type { XdsEvent, XdsObserver } from '@kedge/xds-core';
import type { MeshClient } from './mesh-client.ts';
import { someOf } from './some-of.ts';
import type { SentLog } from './sent-log.ts';
import { shortType } from './short-type.ts';

/** Logs what operators look for: connections, pushes, refusals, errors; the rest at debug level. */
export function observeLog(log: Logger, sent: SentLog): XdsObserver<MeshClient, PushRequest> {
  return (event: XdsEvent<MeshClient, PushRequest>) => {
    switch (event.kind) {
      case 'pushStarted':
        log.info('push', {
          version: event.version,
          changes: someOf([...event.request.configsUpdated.keys()]),
          connections: event.connections,
          debounceMs: Math.round(event.debounceMs),
          snapshotMs: Math.round(event.snapshotMs),
        });
        break;
      case 'sent':
        sent.add(event);
        break;
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
