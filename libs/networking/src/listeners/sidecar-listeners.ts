import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import type { Diagnostic } from '@kedge/model';
import { alike, compareText, interceptionMode, meshConfig, sameMembers } from '@kedge/pushcontext';
import { accessLogDiagnostics } from '../filters/access-log-providers.ts';
import { type MadeListener, patchedListeners } from '../envoy-filter/patched-listeners.ts';
import type { Generated } from '../guard.ts';
import type { EncodedResource } from '../resource.ts';
import { httpProxyPlan } from './http-proxy-listener.ts';
import { inboundPortListener, virtualInbound } from './inbound-listeners.ts';
import { inboundPortPlans } from './inbound-plan.ts';
import type { OutboundListenerPlan } from './listener-plan.ts';
import { outboundListener } from './outbound-listener.ts';
import { outboundPlans } from './outbound-plan.ts';
import { virtualOutbound } from './virtual-outbound.ts';

interface OutboundTexts {
  /** Plans as JSON of listeners with chains for HTTP, and of those without. */
  readonly http: readonly string[];
  readonly opaque: readonly string[];
}

const outboundTexts = query(
  'outboundPlanTexts',
  (read: MeshRead): OutboundTexts => {
    const { http = [], opaque = [] } = Object.groupBy(read(outboundPlans), ({ chains }) =>
      chains.some(({ target }) => target.kind === 'http') ? 'http' : 'opaque',
    );
    const texts = (plans: readonly OutboundListenerPlan[]): readonly string[] =>
      plans.map((plan) => JSON.stringify(plan));
    return { http: texts(http), opaque: texts(opaque) };
  },
  alike,
);

/** Listeners that don't look into connections hardly depend on who the proxy is, so proxies share all of them at once. */
const opaqueListeners = query(
  'opaqueListeners',
  (read: MeshRead): readonly Generated[] => read(outboundTexts).opaque.map((plan) => read(outboundListener, plan)),
  sameMembers,
);

/** All listeners of a sidecar, patched, those left out included with what is wrong with them. */
const generatedSidecarListeners = query(
  'generatedSidecarListeners',
  (read: MeshRead): readonly Generated[] => {
    if ((meshConfig(read).proxyListenPort ?? 0) <= 0) return [];
    return [
      ...patchedListeners(read, 'SIDECAR_OUTBOUND', [...outbound(read)]),
      ...patchedListeners(read, 'SIDECAR_INBOUND', [...inbound(read)]),
    ];
  },
  sameMembers,
);

function* outbound(read: MeshRead): Generator<MadeListener> {
  const { http, opaque } = read(outboundTexts);
  const made = read(opaqueListeners);
  for (const [at, plan] of opaque.entries()) yield madeBy('outbound', plan, made[at]);
  for (const plan of http) yield madeBy('outbound', plan, read(outboundListener, plan));
  const httpProxy = httpProxyPlan(read);
  if (httpProxy) {
    const plan = JSON.stringify(httpProxy);
    yield madeBy('outbound', plan, read(outboundListener, plan));
  }
  if (read.fact(interceptionMode) !== 'NONE') yield madeBy('virtualOutbound', '', read(virtualOutbound));
}

function* inbound(read: MeshRead): Generator<MadeListener> {
  if (read.fact(interceptionMode) !== 'NONE') yield madeBy('virtualInbound', '', read(virtualInbound));
  for (const port of read(inboundPortPlans).filter(({ binding }) => binding.toPort)) {
    const plan = JSON.stringify(port);
    yield madeBy('inboundPort', plan, read(inboundPortListener, plan));
  }
}

const madeBy = (maker: MadeListener['maker'], plan: string, made: Generated = NOTHING): MadeListener => ({
  maker,
  plan,
  made,
});

const NOTHING: Generated = { diagnostics: [] };

/** The listeners of a sidecar, sorted by name. Of several by one name the first counts. */
export const sidecarListeners = query(
  'sidecarListeners',
  (read: MeshRead): readonly EncodedResource[] => {
    const byName = new Map<string, EncodedResource>();
    for (const { value } of read(generatedSidecarListeners))
      if (value && !byName.has(value.name)) byName.set(value.name, value);
    return [...byName.values()].sort((a, b) => compareText(a.name, b.name));
  },
  sameMembers,
);

/** What had to be left out of the listeners of a sidecar, and why. */
export const sidecarListenerDiagnostics = query(
  'sidecarListenerDiagnostics',
  (read: MeshRead): readonly Diagnostic[] => [
    ...read(generatedSidecarListeners).flatMap(({ diagnostics }) => diagnostics),
    ...accessLogDiagnostics(read),
  ],
  sameMembers,
);
