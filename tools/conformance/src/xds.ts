import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeResource, type InputFile, readScenario, renderProxy, type Scenario } from '@kedge/render';
import { compareAnswers, type Finding, type Json } from './compare.ts';

/** One answer that differs, or is missing or extra as a whole. */
export interface AnswerReport {
  readonly proxy: string;
  readonly type: string;
  readonly whole?: 'missing' | 'extra';
  readonly findings: readonly Finding[];
}

export interface ScenarioReport {
  readonly name: string;
  readonly resources: number;
  readonly equal: number;
  readonly answers: readonly AnswerReport[];
  /** What kept the scenario from being rendered at all. */
  readonly failure?: string;
}

/** Answers of all proxies of a scenario: proxy name, then type, then the resources. */
export type Answers = ReadonlyMap<string, ReadonlyMap<string, readonly Json[]>>;

export const isEqual = (report: ScenarioReport): boolean => report.answers.length === 0 && report.failure === undefined;

/** Names of the scenarios below a folder, sorted. */
export function scenarioNames(dir: string): readonly string[] {
  return subfolders(dir).filter((name) => existsSync(join(dir, name, 'proxies.yaml')));
}

export function runScenario(dir: string, name: string): { readonly report: ScenarioReport; readonly answers: Answers } {
  const folder = join(dir, name);
  let answers: Answers = new Map();
  let failure: string | undefined;
  try {
    answers = renderScenario(folder);
  } catch (error) {
    failure = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const expected = readAnswers(join(folder, 'expected'));
  return { report: { name, ...compareScenario(expected, answers), ...(failure ? { failure } : {}) }, answers };
}

/** The scenarios that come with the project. */
export const FIXTURES = join(import.meta.dirname, '../fixtures/xds');

/** Reads a scenario's folder, all but the answers. */
export function scenarioIn(folder: string): Scenario {
  const file = (name: string): InputFile | undefined => {
    const path = join(folder, name);
    return existsSync(path) ? { name: path, text: readFileSync(path, 'utf8') } : undefined;
  };
  const input = file('input.yaml');
  const proxies = file('proxies.yaml');
  if (!input || !proxies) throw new Error(`${folder} needs input.yaml and proxies.yaml`);
  return readScenario({
    manifests: [input],
    meshConfig: file('mesh.yaml'),
    meshNetworks: file('networks.yaml'),
    proxies,
  });
}

/** What the proxies of a scenario's folder get, from its manifests. */
function renderScenario(folder: string): Answers {
  const scenario = scenarioIn(folder);
  return new Map(
    scenario.proxies.map(({ name, proxy }) => {
      const rendered = Object.entries(renderProxy(scenario.push, proxy));
      return [
        name,
        new Map(rendered.map(([type, resources]) => [type, resources.map((r) => decodeResource(r) as Json)])),
      ];
    }),
  );
}

/** Writes answers as OUT/PROXY/TYPE.json. */
export async function writeAnswers(out: string, answers: Answers): Promise<void> {
  for (const [proxy, types] of answers) {
    await mkdir(join(out, proxy), { recursive: true });
    for (const [type, resources] of types) {
      await writeFile(join(out, proxy, `${type}.json`), `${JSON.stringify(resources, null, 1)}\n`);
    }
  }
}

function readAnswers(dir: string): Answers {
  return new Map(
    subfolders(dir).map((proxy) => {
      const files = readdirSync(join(dir, proxy)).filter((name) => name.endsWith('.json'));
      return [
        proxy,
        new Map(
          files.map((name) => [
            name.slice(0, -'.json'.length),
            JSON.parse(readFileSync(join(dir, proxy, name), 'utf8')) as readonly Json[],
          ]),
        ),
      ];
    }),
  );
}

function compareScenario(expected: Answers, actual: Answers): Omit<ScenarioReport, 'name'> {
  const answers: AnswerReport[] = [];
  let resources = 0;
  let equal = 0;
  for (const proxy of union(expected, actual)) {
    const want = expected.get(proxy) ?? new Map<string, readonly Json[]>();
    const got = actual.get(proxy) ?? new Map<string, readonly Json[]>();
    for (const type of union(want, got)) {
      const comparison = compareAnswers(want.get(type) ?? [], got.get(type) ?? []);
      const whole = !want.has(type) ? 'extra' : !got.has(type) ? 'missing' : undefined;
      resources += comparison.resources;
      equal += comparison.equal;
      if (whole || comparison.findings.length > 0) {
        answers.push({ proxy, type, ...(whole ? { whole } : {}), findings: comparison.findings });
      }
    }
  }
  return { resources, equal, answers };
}

function union(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): readonly string[] {
  return [...new Set([...a.keys(), ...b.keys()])].sort();
}

function subfolders(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => statSync(join(dir, name)).isDirectory())
    .sort();
}
