import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { alike, features, mergedGateway, metadataText } from '@kedge/pushcontext';
import { ipFamilies, wildcards } from '../ip-families.ts';
import { type FilterChainPlan, filterChains, http3Chains } from './filter-chain-plan.ts';

export type Transport = 'TCP' | 'UDP';

/** One listener of a gateway. */
export interface ListenerPlan {
  readonly name: string;
  readonly transport: Transport;
  readonly port: number;
  /** The address, then further ones that it has besides. */
  readonly addresses: readonly string[];
  /** No two of them take the same connections. */
  readonly chains: readonly FilterChainPlan[];
}

export interface GatewayListenersPlan {
  readonly listeners: readonly ListenerPlan[];
  readonly diagnostics: readonly Diagnostic[];
}

const FIRST_UNPRIVILEGED_PORT = 1024;

/** The listeners of a gateway, sorted by name. */
export const gatewayListenersPlan = query(
  'gatewayListenersPlan',
  (read: MeshRead): GatewayListenersPlan => {
    const merged = read.by(mergedGateway);
    const unprivileged = read.fact(metadataText, 'unprivilegedPod') === true;
    const diagnostics: Diagnostic[] = [...merged.diagnostics];
    const listeners = new Map<string, ListenerPlan>();
    for (const listener of merged.listeners) {
      if (unprivileged && listener.port < FIRST_UNPRIVILEGED_PORT) {
        diagnostics.push(...listener.servers.map((server) => privileged(server, listener.port)));
        continue;
      }
      const addresses = listener.bind === '' ? wildcardAddresses(read) : [listener.bind];
      for (const [transport, chains] of [
        ['TCP', filterChains(read, listener)],
        ['UDP', http3Chains(listener)],
      ] as const) {
        const name = `${transport === 'UDP' ? 'udp_' : ''}${addresses[0]}_${listener.port}`;
        const present = listeners.get(name)?.chains ?? [];
        const all = distinctChains([...present, ...chains], diagnostics);
        if (all.length > 0) listeners.set(name, { name, transport, port: listener.port, addresses, chains: all });
      }
    }
    return {
      listeners: [...listeners.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
      diagnostics,
    };
  },
  alike,
);

function wildcardAddresses(read: MeshRead): readonly string[] {
  const all = wildcards(read.fact(ipFamilies));
  return features(read).dualStack ? all : all.slice(0, 1);
}

function privileged({ from, field }: FilterChainPlan['server'], port: number): Diagnostic {
  const message = `port ${port} can't be opened by an unprivileged pod`;
  return { ...from, severity: 'warning', code: 'privileged-port', field: `${field}.port`, message };
}

/** Envoy refuses a listener of which two chains match the same: who comes first keeps it, the others keep the rest. */
function distinctChains(chains: readonly FilterChainPlan[], diagnostics: Diagnostic[]): readonly FilterChainPlan[] {
  const owners = new Map<string, FilterChainPlan>();
  return chains.flatMap((chain) => {
    const keyOf = (name: string): string => `${chain.meshTlsOnly ? 'mesh ' : ''}${name}`;
    const names = chain.serverNames.length > 0 ? chain.serverNames : [''];
    const free = names.filter((name) => !owners.has(keyOf(name)));
    for (const name of free) owners.set(keyOf(name), chain);
    if (free.length === names.length) return [chain];
    for (const name of names) {
      const owner = owners.get(keyOf(name));
      if (owner && owner !== chain) diagnostics.push(overlap(chain, name, owner));
    }
    return free.length > 0 ? [{ ...chain, serverNames: free }] : [];
  });
}

function overlap({ from, field }: FilterChainPlan, name: string, owner: FilterChainPlan): Diagnostic {
  const what = name === '' ? 'connections without an SNI of their own' : `SNI ${name}`;
  const message = `${what} on this port are served by ${owner.from.kind} ${owner.from.namespace}/${owner.from.name}`;
  return { ...from, severity: 'warning', code: 'overlapping-chains', field, message };
}
