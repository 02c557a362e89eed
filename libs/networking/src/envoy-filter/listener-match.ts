import type { FilterChain, Listener } from '@kedge/envoy-api';
import type { Patch } from './patch.ts';

/** What a patch can know a listener by. */
export interface ListenerPlace {
  readonly name: string;
  /** 0 for one that has no port. */
  readonly port: number;
}

/** The listeners that redirected connections arrive at. What looks like their ports are those of their chains. */
const VIRTUAL: ReadonlySet<string> = new Set(['virtualInbound', 'virtualOutbound']);

/** Whether a patch is for (parts of) a listener. */
export function hitsListener({ applyTo, match: { listener } }: Patch, { name, port }: ListenerPlace): boolean {
  if (!listener) return true;
  if (listener.name && listener.name !== name) return false;
  return !listener.portNumber || listener.portNumber === port || (applyTo !== 'LISTENER' && VIRTUAL.has(name));
}

export const placeOf = ({ name = '', address }: Listener): ListenerPlace => ({
  name,
  port: address?.socketAddress?.portValue ?? 0,
});

/** Whether a patch is for (parts of) a chain of a listener that it is for. */
export function hitsChain({ match: { listener } }: Patch, { name = '' }: Listener, chain: FilterChain): boolean {
  const { filterChainMatch: taken } = chain;
  if (VIRTUAL.has(name) && listener?.portNumber && listener.portNumber !== taken?.destinationPort) return false;
  const wanted = listener?.filterChain;
  if (!wanted) return true;
  const protocols = wanted.applicationProtocols ? wanted.applicationProtocols.split(',') : [];
  return (
    (!wanted.name || wanted.name === chain.name) &&
    (!wanted.sni || (taken?.serverNames ?? []).includes(wanted.sni)) &&
    (!wanted.transportProtocol || wanted.transportProtocol === taken?.transportProtocol) &&
    protocols.every((protocol) => (taken?.applicationProtocols ?? []).includes(protocol)) &&
    (!wanted.destinationPort || wanted.destinationPort === taken?.destinationPort)
  );
}

interface Named {
  readonly name?: string;
}

/** Tells which members of a list a patch names; undefined where it names none. */
export type Targets = ((member: Named) => boolean) | undefined;

function byName(name: string | undefined): Targets {
  return name === undefined ? undefined : (member) => member.name === name;
}

export const listenerFilterTargets = ({ match }: Patch): Targets => byName(match.listener?.listenerFilter || undefined);

export const networkFilterTargets = ({ match }: Patch): Targets => {
  const filter = match.listener?.filterChain?.filter;
  return byName(filter && (filter.name ?? ''));
};

export const httpFilterTargets = ({ match }: Patch): Targets => {
  const filter = match.listener?.filterChain?.filter?.subFilter;
  return byName(filter && (filter.name ?? ''));
};
