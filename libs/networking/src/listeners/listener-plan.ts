import type { Hostname, ObjectRef, Protocol } from '@kedge/model';
import type { TcpSettings } from './rule-settings.ts';

/* Plans are plain values, and small: a listener or chain is made from its plan and settings of mesh and proxy alone, so all
   proxies that come to the same plan share it. */

/** Which connections a chain of an outbound listener takes; all, where nothing is said. */
export interface OutboundMatch {
  readonly serverNames: readonly string[];
  /** Addresses and ranges that connections were bound for. */
  readonly ranges: readonly string[];
  /** Whether it takes only what was found to be plain-text HTTP. */
  readonly http: boolean;
}

/** A destination by the cluster's name, with its share of the connections. */
export interface WeightedTarget {
  readonly cluster: string;
  readonly weight: number;
}

/** What a chain does with connections that it doesn't look into. */
export interface TcpTarget {
  readonly kind: 'tcp';
  readonly protocol: Protocol;
  readonly statPrefix: string;
  readonly targets: readonly WeightedTarget[];
  /** Whether the weights count, be it of a single target that is left of several. */
  readonly weighted?: boolean;
  /** What the DestinationRule says of the connections. */
  readonly settings?: TcpSettings;
  /** A wildcard host whose names are resolved as connections ask for them, and the port there. */
  readonly dynamic?: { readonly host: Hostname; readonly port: number };
}

/** What a chain does with HTTP. */
export interface HttpTarget {
  readonly kind: 'http';
  readonly routeName: string;
  readonly grpcWeb: boolean;
  readonly dynamicHost?: Hostname;
  readonly isHttpProxy: boolean;
}

export interface OutboundChainPlan {
  readonly match: OutboundMatch;
  readonly target: TcpTarget | HttpTarget;
  /** The object that asked for the chain by name, for tools. */
  readonly config?: ObjectRef;
  /** The objects behind it, the likeliest to be at fault first. */
  readonly from: readonly ObjectRef[];
  /** Names and ranges that it asks for and doesn't get; see `withoutClashes`. */
  readonly lost?: readonly LostMatch[];
  /** Whether nothing is left that it could take. */
  readonly shadowed?: boolean;
}

/** What a chain asks for in vain. */
export interface LostMatch {
  readonly text: string;
  readonly reason: 'taken' | 'malformed';
}

/** Where a listener listens. */
export interface Binding {
  /** The primary address first. */
  readonly addresses: readonly string[];
  /** Whether it opens a port of its own; otherwise redirected connections are handed to it. */
  readonly toPort: boolean;
}

export interface OutboundListenerPlan {
  readonly name: string;
  readonly binding: Binding;
  readonly port: number;
  readonly chains: readonly OutboundChainPlan[];
}

export const listenerName = (address: string, port: number): string => `${address}_${port}`;

export const takesAll = ({ serverNames, ranges, http }: OutboundMatch): boolean =>
  (serverNames.length === 0 || serverNames.includes('*')) && ranges.length === 0 && !http;
