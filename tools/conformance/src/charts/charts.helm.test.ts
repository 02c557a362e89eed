import { afterAll, describe, expect, test } from '@jest/globals';
import { defaultCapabilities, manifestObjects, renderChart } from '@kedge/helm';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartCases, valuesOf } from './chart-cases.ts';
import { chartsFolder, readChart } from './chart-folder.ts';
import { byName, HelmScratch, requiredHelms } from './real-helm.ts';

const kubeVersion = 'v1.32.0';

const scratch = new HelmScratch();
afterAll(() => scratch[Symbol.dispose]());

describe.each(requiredHelms())('%s', (helm) => {
  describe.each(Object.entries(chartCases))('chart %s', (name, { release, values: cases }) => {
    const chart = readChart(name);
    const folder = join(chartsFolder, name);

    test('is well made', () => {
      const { status, stdout } = scratch.run(helm, ['lint', '--strict', folder]);
      expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('0 chart(s) failed') });
    });

    test.each(cases)('%s is rendered alike', (text) => {
      const values = valuesOf(text);
      const file = join(scratch.folder, 'values.json');
      writeFileSync(file, JSON.stringify(values));
      const { status, stdout, stderr } = scratch.run(helm, [
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
