import { setTimeout as sleep } from 'node:timers/promises';
import { getText, Traffic } from '@kedge/testbed';
import { readSplit, type Split, writeSplit } from './manifests.ts';
import { HOST, type Mesh } from './mesh.ts';
import { reportPush } from './push-report.ts';

export interface StoryOptions {
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Stay up afterwards, until the signal aborts. */
  readonly keep: boolean;
}

/** How many requests a split is measured by. */
const REQUESTS = 500;
/** Five times the standard deviation of a share among that many requests, at its widest, in percent. */
const TOLERANCE = (100 * 5 * 0.5) / Math.sqrt(REQUESTS);
const CHANGED: Split = { v1: 20, v2: 80 };

/** Shows what the mesh does with a change of a route. Rejects if it does something else. */
export async function tellStory(mesh: Mesh, { signal, say, keep }: StoryOptions): Promise<void> {
  for (const line of placesOf(mesh)) say(line);
  await showIdentities(mesh, say);
  {
    await using traffic = new Traffic(mesh.gatewayUrl, HOST);
    await showSplit(traffic, await readSplit(mesh.folder), { signal, say });
    say(`\nThe weights in the folder become ${show(CHANGED)}:`);
    const changedAt = await writeSplit(mesh.folder, CHANGED);
    const object = 'VirtualService/demo/backend';
    for (const line of await reportPush(mesh.controlPlane, { object, changedAt, signal })) say(`  ${line}`);
    await showSplit(traffic, CHANGED, { signal, say });
    traffic.assertNoFailure();
    say(`\nNone of ${traffic.requests} requests failed.`);
  }
  if (!keep) return;
  say(`\nIt stays up. Try:\n  curl -H 'Host: ${HOST}' ${mesh.gatewayUrl}\n  edit ${mesh.folder}\nCtrl-C ends it.`);
  await sleep(2 ** 31 - 1, undefined, { signal });
}

async function showIdentities({ gatewayUrl, backendUrl }: Mesh, say: (line: string) => void): Promise<void> {
  const peer = await getText(`${gatewayUrl}peer`, { headers: { host: HOST } });
  const uri = /URI=([^;,]+)/.exec(peer)?.[1];
  if (uri === undefined) throw new Error(`the back end doesn't know who calls it: ${peer}`);
  say(`\nMutual TLS between all of them, STRICT. The back end is called by ${uri}.`);
  const refusal = await getText(backendUrl).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (refusal === undefined) throw new Error('a request from outside the mesh was answered');
  say(`A request from outside the mesh, to ${backendUrl}, is refused: ${refusal}.`);
}

async function showSplit(
  traffic: Traffic,
  expected: Split,
  { signal, say }: Pick<StoryOptions, 'signal' | 'say'>,
): Promise<void> {
  const measured = percentages(await traffic.take(REQUESTS, { signal }));
  say(`\nThe VirtualService says ${show(expected)}; ${REQUESTS} requests through the gateway went ${show(measured)}.`);
  if (Math.abs(measured.v1 - expected.v1) > TOLERANCE) {
    throw new Error(`the split is ${show(measured)} where ${show(expected)} was expected`);
  }
}

function percentages(answers: ReadonlyMap<string, number>): Split {
  const [v1 = 0, v2 = 0] = ['v1', 'v2'].map((version) => answers.get(version) ?? 0);
  const percent = (n: number): number => Math.round((1000 * n) / (v1 + v2)) / 10;
  return { v1: percent(v1), v2: percent(v2) };
}

const show = ({ v1, v2 }: Split): string => `v1 ${v1} %, v2 ${v2} %`;

function placesOf({ controlPlane, proxies, gatewayUrl, folder }: Mesh): readonly string[] {
  const { secureGrpc, http, monitoring } = controlPlane.ports;
  const rows = [
    ['gateway', `${gatewayUrl} (Host: ${HOST})`],
    [
      'control plane',
      `xDS 127.0.0.1:${secureGrpc} (TLS), http://127.0.0.1:${http}/debug, http://127.0.0.1:${monitoring}/metrics`,
    ],
    ['manifests', folder],
    ...proxies.map(({ name, admin }) => [`Envoy ${name}`, `${admin.url} (admin)`]),
  ] as const;
  return rows.map(([what, where]) => `  ${what.padEnd(17)} ${where}`);
}
