import type { Node } from '@kedge/envoy-api';
import { Status } from '@kedge/grpc-server';
import { parseProxy } from '@kedge/model';
import type { AdsPeer, ConnectResult } from '@kedge/xds-core';
import { isLoopback } from '../http/loopback.ts';
import { envoyClass } from './envoy-class.ts';
import { MeshClient } from './mesh-client.ts';

/** Takes a node for what it says it is, as the plain-text port does. */
export function connect(node: Node, peer: Pick<AdsPeer, 'address'>): ConnectResult<MeshClient> {
  const parsed = parseProxy({
    id: node.id,
    metadata: node.metadata,
    locality: node.locality,
    extensions: node.extensions?.map(({ name }) => ({ name })),
  });
  if ('problem' in parsed) {
    return { kind: 'rejected', status: { code: Status.INVALID_ARGUMENT, message: parsed.problem } };
  }
  const { proxy } = parsed;
  const { generator } = proxy.metadata;
  return {
    kind: 'accepted',
    client: new MeshClient(proxy, { isLocal: isLoopback(peer.address), envoyClass: envoyClass(node) }),
    nodeType: proxy.type,
    ...(generator ? { generator } : {}),
  };
}
