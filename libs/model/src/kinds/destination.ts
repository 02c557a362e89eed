import { type Of, message, required } from '../parse/message.ts';
import { string, uint32 } from '../parse/scalars.ts';

export const PortSelector = message({
  number: uint32,
});
export type PortSelector = Of<typeof PortSelector>;

/** Where a route sends traffic: a host, one of its subsets, one of its ports. */
export const Destination = message({
  host: required(string, ''),
  subset: string,
  port: PortSelector,
});
export type Destination = Of<typeof Destination>;
