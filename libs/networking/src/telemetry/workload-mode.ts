import type { ListenerClass } from '../filters/listener-class.ts';

/** The side on which a proxy sees traffic. */
export type Side = 'CLIENT' | 'SERVER';

/** Gateways are clients of what is behind them. */
export const sideOf = (listenerClass: ListenerClass): Side => (listenerClass === 'inbound' ? 'SERVER' : 'CLIENT');

/** Whether a setting with a mode, or none, is for a side. */
export const isForSide = (mode: string | undefined, side: Side): boolean =>
  mode === undefined || mode === 'CLIENT_AND_SERVER' || mode === side;
