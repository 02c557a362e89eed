import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Config, parseProxy, type Proxy } from '@kedge/model';
import fc from 'fast-check';
import { anyMesh, type Mesh } from './mesh.ts';
import { admit } from './objects/index.ts';
import { someProxies } from './proxies.ts';
import type { Protocol } from './wire/client.ts';
import { Served } from './wire/served.ts';

/** Memory over the cycles of a run, in MiB, after a collection each time. */
export interface HeapCourse {
  readonly name: string;
  readonly cycles: number;
  /** Messages that clients got meanwhile: something did happen. */
  readonly messages: number;
  readonly middleThird: number;
  readonly lastThird: number;
}

const SAMPLES = 30;
const SEED = 12;
/** How many messages new objects send where they matter to all proxies. */
const MATTERS = 8;
const PROTOCOLS: readonly Protocol[] = ['sotw', 'delta'];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function megabytes(): Promise<number> {
  // What was looked at by a weak reference stays for the turn, and what waits to be finalized for some.
  for (let round = 0; round < 3; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collectGarbage();
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

/** Runs cycles that each leave things as they were. */
async function course(name: string, cycles: number, served: Served, cycle: (at: number) => void): Promise<HeapCourse> {
  const samples: number[] = [];
  const before = served.messages;
  for (let at = 0; at < cycles; at++) {
    cycle(at);
    if ((at + 1) % Math.ceil(cycles / SAMPLES) > 0) continue;
    served.server.snapshot.memo.sweep();
    samples.push(await megabytes());
  }
  const third = Math.floor(samples.length / 3);
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    name,
    cycles,
    messages: served.messages - before,
    middleThird: mean(samples.slice(third, 2 * third)),
    lastThird: mean(samples.slice(2 * third)),
  };
}

/** Objects that were never there before, by their names and hosts: what is remembered of them is a leak. */
function newObjects(at: number): readonly Config[] {
  const host = `host-${at}.example`;
  const networking = 'networking.istio.io/v1';
  const specs: Readonly<Record<string, object>> = {
    ServiceEntry: {
      hosts: [host],
      ports: [{ number: 80, name: 'http', protocol: 'HTTP' }],
      resolution: 'STATIC',
      endpoints: [{ address: '10.8.0.1' }],
    },
    VirtualService: { hosts: [host], http: [{ route: [{ destination: { host } }], timeout: '3s' }] },
    DestinationRule: { host, subsets: [{ name: 'v1', labels: { version: String(at) } }] },
    EnvoyFilter: {
      configPatches: [
        {
          applyTo: 'CLUSTER',
          match: { cluster: { service: host } },
          patch: { operation: 'MERGE', value: { altStatName: host } },
        },
      ],
    },
  };
  return Object.entries(specs).flatMap(([kind, spec]) => {
    const apiVersion = kind === 'EnvoyFilter' ? 'networking.istio.io/v1alpha3' : networking;
    return admit({ apiVersion, kind, metadata: { name: `new-${at}`, namespace: 'shop' }, spec }) ?? [];
  });
}

function newProxy(at: number): Proxy {
  const address = `10.7.${at >> 8}.${at & 255}`;
  const parsed = parseProxy({
    id: `sidecar~${address}~pod-${at}.shop~shop.svc.cluster.local`,
    metadata: { NAMESPACE: 'shop', CLUSTER_ID: 'Kubernetes', LABELS: { app: 'a', pod: String(at) } },
  });
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed.proxy;
}

function connected(mesh: Mesh, proxies: readonly Proxy[]): Served {
  const served = new Served(mesh);
  for (const proxy of proxies) for (const protocol of PROTOCOLS) served.connect(proxy, protocol);
  served.settle();
  return served;
}

const withNew = (mesh: Mesh, at: number): Mesh => ({ ...mesh, objects: [...mesh.objects, ...newObjects(at)] });

/** A random mesh, and proxies there that new objects matter to. */
function servedMesh(): { readonly mesh: Mesh; readonly served: Served } {
  for (const { mesh, proxies } of fc.sample(fc.record({ mesh: anyMesh, proxies: someProxies(2) }), { seed: SEED })) {
    const served = connected(mesh, proxies);
    const before = served.messages;
    served.change(withNew(mesh, 0));
    if (served.messages - before > MATTERS) return { mesh, served };
    served[Symbol.dispose]();
  }
  throw new Error('new objects matter to no proxy of any mesh');
}

/** Objects come and go while proxies are connected. */
export async function objectsComeAndGo(cycles: number): Promise<HeapCourse> {
  const { mesh, served } = servedMesh();
  using _ = served;
  return await course('objects that come and go', cycles, served, (at) => {
    served.change(withNew(mesh, at));
    served.change(mesh);
  });
}

/** Proxies that were never there before come and go. */
export async function proxiesComeAndGo(cycles: number): Promise<HeapCourse> {
  const { served } = servedMesh();
  using _ = served;
  return await course('proxies that come and go', cycles, served, (at) => {
    const client = served.connect(newProxy(at), at % 2 === 0 ? 'sotw' : 'delta');
    served.settle();
    served.disconnect(client);
  });
}

/** How much more is held in the last third than in the middle one, as a share. */
export const growth = ({ middleThird, lastThird }: HeapCourse): number => lastThird / middleThird - 1;

export const courseText = (course: HeapCourse): string =>
  `${course.name}, ${course.cycles} cycles, ${course.messages} messages: ${course.middleThird.toFixed(1)} MiB in the middle third, ` +
  `${course.lastThird.toFixed(1)} MiB in the last, ${(100 * growth(course)).toFixed(2)}%`;
