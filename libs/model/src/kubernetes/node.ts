import { type Of, list, message, required } from '../parse/message.ts';
import { string } from '../parse/scalars.ts';

export const NodeSpec = message({ podCIDR: string, providerID: string });
export type NodeSpec = Of<typeof NodeSpec>;

export const NodeStatus = message({
  addresses: list(message({ type: required(string, ''), address: required(string, '') })),
});
export type NodeStatus = Of<typeof NodeStatus>;
