import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemorySource } from '@kedge/config';
import type { Proxy } from '@kedge/model';
import { TYPE_URLS } from '@kedge/networking';
import { ControlPlane, meshGenerators } from '@kedge/pilot-discovery';
import { type NamedProxy, type RenderedProxy, renderProxy, type Scenario } from '@kedge/render';
import type { PushContext } from '@kedge/pushcontext';
import { type ConfigDump, until } from '@kedge/testbed';
import { serveAgentSecrets } from './agent-secrets.ts';
import { extensionsIn } from './extensions.ts';
import { StockEnvoy, type XdsMode } from './stock-envoy.ts';
import { withValidCredentials } from './valid-credentials.ts';

export interface LivePushOptions {
  /** Path of the Envoy. */
  readonly binary: string;
  readonly mode: XdsMode;
  /** Each Envoy in a network namespace of its own, for which this must be root. */
  readonly isolated: boolean;
}

/** What came of serving a proxy. */
export interface Verdict {
  readonly proxy: string;
  /** What Envoy has against what it was sent, and what it still waits for when it was given up; empty where all is well. */
  readonly problems: readonly string[];
  /** Extensions that were left out because the Envoy hasn't got them. */
  readonly leftOut: readonly string[];
}

const SETTLE_MS = 20_000;

/** Serves a scenario to a real Envoy in the place of a proxy, until it has accepted everything and waits for nothing. */
export async function pushLive(
  { settings, objects }: Scenario,
  proxy: NamedProxy,
  options: LivePushOptions,
): Promise<Verdict> {
  await using owned = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'live-'));
  owned.defer(() => rm(dir, { recursive: true, force: true }));
  const secrets = join(dir, 'secrets');
  owned.use(await serveAgentSecrets(secrets));
  const source = owned.use(new MemorySource(objects.map(withValidCredentials)));
  const plane = owned.use(new ControlPlane({ settings, source, generators: meshGenerators() }));
  const xds = join(dir, 'xds');
  await plane.grpc.listen({ path: xds });
  const envoy = owned.use(await StockEnvoy.start({ ...options, ...proxy, dir, xds, secrets }));
  return await settle(plane, envoy, proxy);
}

async function settle(plane: ControlPlane, envoy: StockEnvoy, named: NamedProxy): Promise<Verdict> {
  const refusals: string[] = [];
  using _ = plane.observe((event) => {
    if (event.kind === 'nack') refusals.push(`refuses ${event.typeUrl}: ${event.nack.message}`);
    if (event.kind === 'generateFailed') refusals.push(`${event.typeUrl} can't be generated: ${String(event.error)}`);
  });
  let waitsFor: readonly string[] = [];
  const settled = until(
    `${named.name} to settle`,
    async () => {
      if (refusals.length > 0) return true;
      waitsFor = outstanding(plane, await envoy.admin.configDump());
      return waitsFor.length === 0;
    },
    { timeoutMs: SETTLE_MS },
  );
  const failure = await Promise.race([settled, envoy.child.unexpectedEnd()]).then(() => undefined, String);
  const client = plane.server.clients()[0]?.client;
  return {
    proxy: named.name,
    problems: [...refusals, ...(failure === undefined ? [] : [failure, ...waitsFor])],
    leftOut: client ? leftOut(plane.server.snapshot, named.proxy, client.proxy) : [],
  };
}

/** What the only connected Envoy hasn't got, or hasn't accepted, of all that is generated for it. */
function outstanding(plane: ControlPlane, dump: ConfigDump): readonly string[] {
  const connection = plane.server.clients()[0];
  if (!connection) return ['it is not connected'];
  const { client, watched } = connection;
  const rendered = renderProxy(plane.server.snapshot, client.proxy);
  const missing = missingSecrets(rendered, watched);
  const waits = (resource: unknown): boolean => missing.some((name) => JSON.stringify(resource).includes(`"${name}"`));
  const { cds = [], lds = [], rds = [] } = rendered;
  const held = Object.entries({ clusters: cds, listeners: lds, routes: rds }).flatMap(([type, resources]) => {
    const { active, warming, errors } = dump[type as keyof ConfigDump];
    const excused = new Set([...warming].flatMap(([name, resource]) => (waits(resource) ? [name] : [])));
    return [
      ...[...warming.keys()].filter((name) => !excused.has(name)).map((name) => `${type}: ${name} is warming`),
      ...[...errors].map(([name, error]) => `${type}: ${name}: ${error}`),
      ...resources
        .filter(({ name }) => !active.has(name) && !excused.has(name))
        .map(({ name }) => `${type}: ${name} is missing`),
    ];
  });
  const unaccepted = Object.entries(rendered).flatMap(([type, resources]) => {
    const typeUrl = TYPE_URLS[type.toUpperCase() as keyof typeof TYPE_URLS];
    // Envoy itself has no use for the name table.
    if (type === 'nds' || resources.length === 0) return [];
    const watch = watched.find((one) => one.typeUrl === typeUrl);
    if (!watch || watch.nonceSent === '' || watch.nonceSent !== watch.nonceAcked) return [`${type}: not accepted`];
    const names = new Set(watch.wildcard ? watch.answer.names() : watch.names);
    return resources.filter(({ name }) => !names.has(name)).map(({ name }) => `${type}: ${name} is not asked for`);
  });
  return [...held, ...unaccepted];
}

type Watches = readonly { readonly typeUrl: string; readonly names: readonly string[] }[];

/** Secrets that Envoy asked for and that nobody has: what needs them waits, as it should. */
function missingSecrets({ sds = [] }: RenderedProxy, watched: Watches): readonly string[] {
  const asked = watched.find(({ typeUrl }) => typeUrl === TYPE_URLS.SDS)?.names ?? [];
  return asked.filter((asked) => sds.every(({ name }) => name !== asked));
}

/** Extensions that a proxy of Istio's would use and this one doesn't. */
function leftOut(push: PushContext, istios: Proxy, stock: Proxy): readonly string[] {
  const used = new Set(extensionsIn(renderProxy(push, stock)));
  return extensionsIn(renderProxy(push, istios)).filter((name) => !used.has(name));
}
