import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Floor, type FloorFigures } from '../floor/floor.ts';
import { printTable } from '../measure.ts';
import { type ChangeName, changeKinds } from '../mesh/changes.ts';
import { MeshFolder } from '../mesh/files.ts';
import { DiscoveryProcess } from '../process/discovery-process.ts';
import { baselineOf, readBaseline } from './baseline.ts';
import {
  type ChangeFigures,
  type ConnectFigures,
  exchangesOf,
  type PushFigures,
  type RestartFigures,
} from './figures.ts';
import { MeasuredLoad } from './measured-load.ts';
import { parseOptions, type PushOptions, usage } from './options.ts';
import { changeTable, comparisonTable, connectTable } from './tables.ts';

export const push = {
  about: 'the control plane on a folder of manifests, with many proxies: connecting, changes, a restart',
  async run(args: readonly string[]): Promise<void> {
    const options = optionsOf(args);
    const figures = await measurePush(options);
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(figures, undefined, 2)}\n`);
    print(figures, options.compare);
  },
};

function optionsOf(args: readonly string[]): PushOptions {
  try {
    return parseOptions(args);
  } catch (error) {
    console.error(`${(error as Error).message}\n${usage}`);
    process.exit(2);
  }
}

async function measurePush(options: PushOptions): Promise<PushFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-push-'));
  const mesh = new MeshFolder(join(folder, 'mesh'));
  mesh.create(options.shape);
  const { build, profile } = options;
  const start = (port: number) =>
    DiscoveryProcess.start({ build, mesh, folder, port, ...(profile === undefined ? {} : { profile }) });
  using load = new MeasuredLoad(options, await start(0));
  try {
    const connect = await load.connect();
    progress(`connected ${connect.ready} of ${options.proxies} in ${connect.allReadySeconds.toFixed(1)} s`);
    const changes = await measureChanges(options, load, mesh);
    const restart = options.parts.has('restart') ? await load.restart(start) : undefined;
    const { ended } = await load.status();
    await load.server.stop();
    const floor = options.parts.has('floor') ? await measureFloor(options, connect, changes) : undefined;
    return figuresOf(options, { connect, changes, ended, ...(restart && { restart }), ...(floor && { floor }) });
  } finally {
    await load.server.kill();
    rmSync(folder, { recursive: true });
  }
}

async function measureChanges(
  { parts, repeat }: PushOptions,
  load: MeasuredLoad,
  mesh: MeshFolder,
): Promise<PushFigures['changes']> {
  const changes: Record<string, readonly ChangeFigures[]> = {};
  let step = 0;
  for (const name of Object.keys(changeKinds) as ChangeName[]) {
    if (!parts.has(name)) continue;
    const repetitions: ChangeFigures[] = [];
    for (let run = 0; run < repeat; run += 1) {
      const figures = await load.change(changeKinds[name], (step += 1), mesh);
      repetitions.push(figures);
      const { ms, serverCpuSeconds, rssMiB } = figures;
      progress(`${name}: ${ms.max.toFixed(0)} ms, ${serverCpuSeconds.toFixed(2)} s of CPU, ${rssMiB.toFixed(0)} MiB`);
    }
    changes[name] = repetitions;
  }
  return changes;
}

/** Transport alone, of what each step sent and received. */
async function measureFloor(
  { proxies }: PushOptions,
  connect: ConnectFigures,
  changes: PushFigures['changes'],
): Promise<Readonly<Record<string, FloorFigures>>> {
  using floor = await Floor.start(proxies);
  const figures: Record<string, FloorFigures> = {};
  figures.connect = await floor.replay(exchangesOf(connect.traffic, proxies));
  for (const [name, [first]] of Object.entries(changes)) {
    if (first) figures[name] = await floor.replay(exchangesOf(first.traffic, proxies));
  }
  return figures;
}

function figuresOf(
  { shape, proxies, mode }: PushOptions,
  measured: Pick<PushFigures, 'connect' | 'changes' | 'ended'> & {
    readonly restart?: RestartFigures;
    readonly floor?: Readonly<Record<string, FloorFigures>>;
  },
): PushFigures {
  const processors = cpus();
  return {
    at: new Date().toISOString(),
    machine: { cpus: processors.length, model: processors[0]?.model ?? '', node: process.version },
    ...shape,
    proxies,
    mode,
    ...measured,
  };
}

function print(figures: PushFigures, formerFile: string | undefined): void {
  const baseline = readBaseline();
  const istiod = baselineOf(baseline, figures);
  const { services, endpoints, proxies, mode, sidecar, machine, ended } = figures;
  console.log(
    `\n${services} services x ${endpoints} endpoints, ${proxies} proxies, ${mode}${sidecar ? ', Sidecar ./*' : ''}` +
      `; ${machine.cpus} x ${machine.model}, Node ${machine.node}`,
  );
  printTable(connectTable(figures, istiod));
  console.log();
  printTable(changeTable(figures, istiod));
  console.log(istiod ? `\nistiod: ${baseline.about}` : '\nistiod was not measured with this workload.');
  for (const reason of ended) console.log(`streams ended meanwhile: ${reason}`);
  if (formerFile === undefined) return;
  console.log(`\n${formerFile} -> now`);
  printTable(comparisonTable(JSON.parse(readFileSync(formerFile, 'utf8')) as PushFigures, figures));
}

/** On standard error, so that the tables can be kept by themselves. */
function progress(text: string): void {
  console.error(`  ${text}`);
}
