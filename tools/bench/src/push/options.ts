import { parseArgs } from 'node:util';
import type { Mode } from '../load/resources.ts';
import { type ChangeName, changeKinds } from '../mesh/changes.ts';
import type { MeshShape } from '../mesh/shape.ts';
import type { Build } from '../process/discovery-process.ts';

const parts = [...(Object.keys(changeKinds) as ChangeName[]), 'restart', 'floor'] as const;

/** What is measured beside the connecting. */
export type Part = (typeof parts)[number];

export interface PushOptions {
  readonly shape: MeshShape;
  readonly proxies: number;
  readonly mode: Mode;
  readonly parts: ReadonlySet<Part>;
  readonly repeat: number;
  readonly build: Build;
  /** A folder for CPU profiles of the server. */
  readonly profile: string | undefined;
  /** A file that the figures are written to. */
  readonly json: string | undefined;
  /** A file of former figures. */
  readonly compare: string | undefined;
}

const changeList = Object.entries(changeKinds).map(([name, { about }]) => `${name} (${about})`);

export const usage = `push options:
  --services N --endpoints N --namespaces N --sidecar   size of the mesh (1000, 5, 20)
  --proxies N --mode delta|sotw                         who connects (500, delta)
  --only PART,...                                       what to measure beside the connecting (all), of these parts:
      ${changeList.join(', ')}
      restart   the server ends, and all connect again to the next one
      floor     transport alone: as many messages and bytes, from a server that has nothing to compute
  --repeat N                                            repetitions of each change (3)
  --server source|built                                 what runs (source)
  --json FILE --compare FILE                            write figures; compare with former ones
  --profile DIR                                         CPU profiles of the server`;

/** Throws, with what is possible, where the arguments are none. */
export function parseOptions(args: readonly string[]): PushOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      services: { type: 'string', default: '1000' },
      endpoints: { type: 'string', default: '5' },
      namespaces: { type: 'string', default: '20' },
      sidecar: { type: 'boolean', default: false },
      proxies: { type: 'string', default: '500' },
      mode: { type: 'string', default: 'delta' },
      only: { type: 'string', default: parts.join(',') },
      repeat: { type: 'string', default: '3' },
      server: { type: 'string', default: 'source' },
      json: { type: 'string' },
      compare: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  return {
    shape: {
      services: whole('services', values.services),
      endpoints: whole('endpoints', values.endpoints),
      namespaces: whole('namespaces', values.namespaces),
      sidecar: values.sidecar,
    },
    proxies: whole('proxies', values.proxies),
    mode: oneOf('mode', values.mode, ['delta', 'sotw'] as const),
    parts: new Set(values.only.split(',').map((part) => oneOf('only', part, parts))),
    repeat: whole('repeat', values.repeat),
    build: oneOf('server', values.server, ['source', 'built'] as const),
    profile: values.profile,
    json: values.json,
    compare: values.compare,
  };
}

function whole(name: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} must be a whole number above 0`);
  return Number(text);
}

function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`--${name} must be one of ${values.join(', ')}`);
  return found;
}
