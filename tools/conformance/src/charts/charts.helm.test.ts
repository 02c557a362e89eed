import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { defaultCapabilities, manifestObjects, renderChart, type Values } from '@kedge/helm';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chartCases, valuesOf } from './chart-cases.ts';
import { chartsFolder, readChart } from './chart-folder.ts';

const helms = (process.env.HELM_BIN ?? '').split(delimiter).filter(Boolean);
const kubeVersion = 'v1.32.0';

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'helm-'));
});
afterAll(() => rmSync(scratch, { recursive: true }));

test('there is a Helm', () => {
  expect(helms).not.toEqual([]);
});

function run(helm: string, args: readonly string[]) {
  // Nothing of the user's own Helm is read or written.
  const env = { HOME: scratch, HELM_CACHE_HOME: scratch, HELM_CONFIG_HOME: scratch, HELM_DATA_HOME: scratch };
  const { status, stdout, stderr } = spawnSync(helm, args, { env, encoding: 'utf8', maxBuffer: 1e8 });
  return { status, stdout, stderr };
}

/** By apiVersion, kind, namespace and name: Helm has an order of its own. */
const byName = (objects: readonly Values[]): ReadonlyMap<string, Values> =>
  new Map(
    objects.map((object): [string, Values] => {
      const { namespace = '', name } = object.metadata as Readonly<Record<string, string>>;
      return [`${String(object.apiVersion)} ${String(object.kind)} ${namespace}/${name}`, object];
    }).sort(([left], [right]) => (left < right ? -1 : 1)),
  );

describe.each(helms)('%s', (helm) => {
  describe.each(Object.entries(chartCases))('chart %s', (name, { release, values: cases }) => {
    const chart = readChart(name);
    const folder = join(chartsFolder, name);

    test('is well made', () => {
      const { status, stdout } = run(helm, ['lint', '--strict', folder]);
      expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('0 chart(s) failed') });
    });

    test.each(cases)('%s is rendered alike', (text) => {
      const values = valuesOf(text);
      const file = join(scratch, 'values.json');
      writeFileSync(file, JSON.stringify(values));
      const { status, stdout, stderr } = run(helm, [
        ...['template', release.name, folder, '--namespace', release.namespace, '--values', file],
        ...['--kube-version', kubeVersion, ...(release.isUpgrade === true ? ['--is-upgrade'] : [])],
      ]);
      const render = () =>
        manifestObjects(renderChart(chart, release, values, defaultCapabilities(kubeVersion)));
      if (status !== 0) {
        const reason = /unknown [a-z ]+ \S+|"defaults"|is removed|not supported|must not be empty|schema\(s\)/.exec(stderr);
        expect(reason).not.toBeNull();
        expect(render).toThrow(reason![0]);
        return;
      }
      expect(byName(render())).toEqual(byName(manifestObjects([{ file: 'helm', text: stdout }])));
    });
  });
});
