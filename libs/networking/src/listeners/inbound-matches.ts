import type { MutualTlsMode } from '@kedge/pushcontext';
import type { Manner } from './listen-conflicts.ts';
import { PLAIN_TEXT, TLS } from './match.ts';

/** One of the chains by which a port of the workload takes connections. */
export interface InboundMatch {
  /** Absent where it makes no difference. */
  readonly transport?: typeof PLAIN_TEXT | typeof TLS;
  /** What the client said by ALPN, or what was found in plain text. */
  readonly protocols?: readonly string[] | 'plain-http';
  /** Whether the proxy ends the TLS, with the certificates of the mesh. */
  readonly ends?: boolean;
  readonly as: 'http' | 'tcp';
}

/* What proxies of the mesh say by ALPN: that they are, and what they found in the connection. */
const MESH_HTTP = ['istio-http/1.0', 'istio-http/1.1', 'istio-h2'];
const MESH_TCP = ['istio-peer-exchange', 'istio'];
const MESH = ['istio', 'istio-peer-exchange', ...MESH_HTTP];

export const anyBytes: InboundMatch = { as: 'tcp' };
const plainTcp: InboundMatch = { transport: PLAIN_TEXT, as: 'tcp' };
const plainHttp: InboundMatch = { transport: PLAIN_TEXT, as: 'http' };
const detectedHttp: InboundMatch = { ...plainHttp, protocols: 'plain-http' };
/** TLS that is the workload's own business. */
const foreignTls: InboundMatch = { transport: TLS, as: 'tcp' };

const mesh = (as: InboundMatch['as'], protocols?: readonly string[]): InboundMatch => ({
  transport: TLS,
  as,
  ends: true,
  ...(protocols ? { protocols } : {}),
});

/** The chains of a port by its mode and by what it speaks. */
const MATCHES: Readonly<Record<MutualTlsMode, Readonly<Record<Manner, readonly InboundMatch[]>>>> = {
  PERMISSIVE: {
    http: [mesh('http', MESH), plainHttp],
    tcp: [mesh('tcp', MESH), foreignTls, plainTcp],
    auto: [mesh('http', MESH_HTTP), detectedHttp, mesh('tcp', MESH_TCP), plainTcp, foreignTls],
  },
  STRICT: {
    http: [mesh('http')],
    tcp: [mesh('tcp')],
    auto: [mesh('http', MESH_HTTP), mesh('tcp')],
  },
  DISABLE: {
    http: [plainHttp],
    tcp: [plainTcp],
    auto: [detectedHttp, plainTcp],
  },
};

export function inboundMatches(mode: MutualTlsMode, manner: Manner): readonly InboundMatch[] {
  return MATCHES[mode][manner];
}

/** The chains of a port on which the proxy ends TLS of the user's own. */
export function serverTlsMatches(manner: Manner): readonly InboundMatch[] {
  return [{ transport: TLS, as: manner === 'http' ? 'http' : 'tcp', ends: true }];
}
