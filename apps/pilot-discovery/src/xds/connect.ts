import type { Node } from '@kedge/envoy-api';
import { GrpcError, Status } from '@kedge/grpc-server';
import { type ParsedProxy, parseProxy, type Proxy } from '@kedge/model';
import type { AdsPeer, ConnectResult } from '@kedge/xds-core';
import { isLoopback } from '../http/loopback.ts';
import type { Identify } from '../identity/client-identity.ts';
import { envoyClass } from './envoy-class.ts';
import { MeshClient } from './mesh-client.ts';

type Result = ConnectResult<MeshClient>;

/** Takes a node for what it says it is. */
export function connect(node: Node, peer: Pick<AdsPeer, 'address'>): Result {
  const parsed = read(node);
  return 'problem' in parsed ? unreadable(parsed.problem) : accepted(parsed.proxy, node, peer);
}

/** Takes a node for what it proves to be. */
export async function connectKnown(node: Node, peer: AdsPeer, identify: Identify): Promise<Result> {
  const parsed = read(node);
  if ('problem' in parsed) return unreadable(parsed.problem);
  try {
    const identity = await identify(parsed.proxy, peer);
    return accepted(identity ? { ...parsed.proxy, identity } : parsed.proxy, node, peer);
  } catch (error) {
    return { kind: 'rejected', status: GrpcError.from(error) };
  }
}

function read(node: Node): ParsedProxy {
  return parseProxy({
    id: node.id,
    metadata: node.metadata,
    locality: node.locality,
    extensions: node.extensions,
  });
}

const unreadable = (problem: string): Result => ({
  kind: 'rejected',
  status: { code: Status.INVALID_ARGUMENT, message: problem },
});

function accepted(proxy: Proxy, node: Node, peer: Pick<AdsPeer, 'address'>): Result {
  const { generator } = proxy.metadata;
  return {
    kind: 'accepted',
    client: new MeshClient(proxy, { isLocal: isLoopback(peer.address), envoyClass: envoyClass(node) }),
    nodeType: proxy.type,
    ...(generator ? { generator } : {}),
  };
}
