import { type ChangeName, changeKinds } from '../mesh/changes.ts';
import type { BaselineEntry } from './baseline.ts';
import { medianOf, type PushFigures, total } from './figures.ts';

type Row = readonly string[];

const NONE = '-';

/** Connecting: this, transport alone, istiod. */
export function connectTable(figures: PushFigures, istiod: BaselineEntry | undefined): readonly Row[] {
  const { connect, floor, restart, proxies } = figures;
  const perClient = (cpuSeconds: number): string =>
    `${cpu(cpuSeconds)} (${((cpuSeconds * 1000) / proxies).toFixed(1)})`;
  const { messages, bytes } = total(connect.traffic);
  const rows: Row[] = [
    ['', 'all ready s', 'server CPU s (ms/client)', 'RSS MiB idle -> after (peak)', 'messages', 'KiB/client'],
    [
      'connect',
      connect.allReadySeconds.toFixed(1),
      perClient(connect.serverCpuSeconds),
      rss(connect.idleRssMiB, connect.rssMiB, connect.peakRssMiB),
      count(messages / proxies),
      kib(bytes / proxies),
    ],
  ];
  if (restart) {
    const sent = total(restart.traffic);
    rows.push([
      'restart, all again',
      restart.seconds.toFixed(1),
      perClient(restart.serverCpuSeconds),
      `(${restart.peakRssMiB.toFixed(0)})`,
      count(sent.messages / proxies),
      kib(sent.bytes / proxies),
    ]);
  }
  if (floor?.connect) {
    const { ms, cpuSeconds } = floor.connect;
    rows.push(['transport alone', (ms / 1000).toFixed(1), perClient(cpuSeconds), NONE, NONE, NONE]);
  }
  if (istiod) {
    const { allReadySeconds, cpuSeconds, idleRssMiB, rssMiB, peakRssMiB } = istiod.connect;
    const memory = rss(idleRssMiB, rssMiB, peakRssMiB);
    rows.push(['istiod', allReadySeconds.toFixed(1), perClient(cpuSeconds), memory, NONE, `${istiod.connect.kib}`]);
  }
  return rows;
}

/**
 * Changes: medians of the repetitions, beside transport alone and istiod. `values` is how many were computed for it, and how
 * many of those were encoded; `making` the time for that, and to put the new together with the old.
 */
export function changeTable(figures: PushFigures, istiod: BaselineEntry | undefined): readonly Row[] {
  const header: Row = [
    '',
    'p50 / p99 / max ms',
    'CPU s',
    'transport',
    'peak MiB',
    'values (encoded)',
    'making (assembling) ms',
    'messages',
    'KiB/client',
    'istiod: ms',
    'CPU s',
    'KiB/client',
  ];
  const { proxies, floor } = figures;
  const rows = Object.entries(figures.changes).map(([name, repetitions]): Row => {
    const { p50, p99, max, serverCpuSeconds, messages, bytes, peakRssMiB, ...work } = medianOf(repetitions);
    const missing = repetitions.reduce((sum, { concerned, seen }) => sum + concerned - seen, 0);
    const transport = floor?.[name];
    const theirs = istiod?.changes[name];
    return [
      `${name} ${aboutOf(name)}${missing > 0 ? `, ${missing} without it` : ''}`,
      times(p50, p99, max),
      cpu(serverCpuSeconds),
      transport ? cpu(transport.cpuSeconds) : NONE,
      peakRssMiB.toFixed(0),
      `${work.values} (${work.encoded})`,
      `${work.makingMs.toFixed(1)} (${work.assemblingMs.toFixed(1)})`,
      count(messages / proxies),
      kib(bytes / proxies),
      theirs ? times(...theirs.ms) : NONE,
      theirs ? cpu(theirs.cpuSeconds) : NONE,
      theirs?.kib === undefined ? NONE : `${theirs.kib}`,
    ];
  });
  return [header, ...rows];
}

/** Former figures -> these, with what has become of them in percent. */
export function comparisonTable(former: PushFigures, figures: PushFigures): readonly Row[] {
  const rows: Row[] = [
    ['', 'CPU s', 'ms (last)', 'peak MiB', 'KiB/client'],
    comparisonRow('connect', connectSummary(former), connectSummary(figures)),
  ];
  for (const name of Object.keys(figures.changes)) {
    const before = changeSummary(former, name);
    const after = changeSummary(figures, name);
    if (before && after) rows.push(comparisonRow(`${name} ${aboutOf(name)}`, before, after));
  }
  return rows;
}

interface Summary {
  readonly cpuSeconds: number;
  readonly ms: number;
  readonly peakRssMiB: number;
  readonly bytes: number;
}

function connectSummary({ connect, proxies }: PushFigures): Summary {
  const { serverCpuSeconds, allReadySeconds, peakRssMiB, traffic } = connect;
  const bytes = total(traffic).bytes / proxies;
  return { cpuSeconds: serverCpuSeconds, ms: allReadySeconds * 1000, peakRssMiB, bytes };
}

function changeSummary({ changes, proxies }: PushFigures, name: string): Summary | undefined {
  const repetitions = changes[name];
  if (!repetitions) return undefined;
  const { serverCpuSeconds, max, peakRssMiB, bytes } = medianOf(repetitions);
  return { cpuSeconds: serverCpuSeconds, ms: max, peakRssMiB, bytes: bytes / proxies };
}

function comparisonRow(name: string, before: Summary, after: Summary): Row {
  const step = (value: (summary: Summary) => number, format: (value: number) => string): string => {
    const [from, to] = [value(before), value(after)];
    const percent = from === 0 ? '' : ` (${to >= from ? '+' : ''}${((to / from - 1) * 100).toFixed(0)}%)`;
    return `${format(from)} -> ${format(to)}${percent}`;
  };
  return [
    name,
    step(({ cpuSeconds }) => cpuSeconds, cpu),
    step(
      ({ ms }) => ms,
      (ms) => ms.toFixed(0),
    ),
    step(
      ({ peakRssMiB }) => peakRssMiB,
      (mib) => mib.toFixed(0),
    ),
    step(({ bytes }) => bytes, kib),
  ];
}

function aboutOf(name: string): string {
  return name in changeKinds ? changeKinds[name as ChangeName].about : '';
}

const cpu = (seconds: number): string => seconds.toFixed(2);
const kib = (bytes: number): string => (bytes / 1024).toFixed(bytes < 10_240 ? 1 : 0);
const count = (value: number): string => value.toFixed(1);
const times = (...ms: readonly number[]): string => ms.map((value) => value.toFixed(0)).join(' / ');
const rss = (idle: number, after: number, peak: number): string =>
  `${idle.toFixed(0)} -> ${after.toFixed(0)} (${peak.toFixed(0)})`;
