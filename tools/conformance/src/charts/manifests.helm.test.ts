import { afterAll, describe, expect, test } from '@jest/globals';
import { manifestObjects, type Values } from '@kedge/helm';
import { generateManifests, mergeInputs, profileNames } from '@kedge/install';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chartsFolder, readChart } from './chart-folder.ts';
import { byName, HelmScratch, requiredHelms } from './real-helm.ts';

const scratch = new HelmScratch();
afterAll(() => scratch[Symbol.dispose]());

/** Settings that are values of charts; those below `k8s` change what charts give, which Helm knows nothing of. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(profileNames.map((name) => [`profile ${name}`, [`profile=${name}`]])),
  'a revision of an own hub': ['revision=canary', 'hub=example.org/mesh', 'tag=1.2', 'components.pilot.tag=1.3'],
  'mesh config and values': [
    'meshConfig.accessLogFile=/dev/stdout',
    'values.global.proxy.resources.requests.cpu=50m',
    'values.pilot.autoscaleMin=2',
    'values.global.networkPolicy.enabled=true',
  ],
  'both gateways': ['components.egressGateways.[0].enabled=true', 'components.ingressGateways.[0].label.a=b'],
};

describe.each(requiredHelms())('what %s gives is what `manifest generate` gives', (helm) => {
  test.each(Object.entries(inputs))('with %s', (name, sets) => {
    // Definitions of kinds are long, and the same for all.
    const base = name === 'profile default' ? [] : ['components.base.enabled=false'];
    const parts = generateManifests(mergeInputs({ sets: [...sets, ...base] }), { charts: readChart });
    for (const { instance, values, manifests } of parts) {
      const { component, namespace } = instance;
      const file = join(scratch.folder, 'values.json');
      writeFileSync(file, JSON.stringify(values));
      const { status, stdout, stderr } = scratch.run(helm, [
        ...['template', 'istio', join(chartsFolder, component.chart), '--namespace', namespace],
        ...['--values', file, '--kube-version', 'v1.32.0'],
      ]);
      expect({ status, stderr }).toMatchObject({ status: 0 });
      const own = manifests.map(({ object }) => object as Values);
      expect(byName(own)).toEqual(byName(manifestObjects([{ file: 'helm', text: stdout }])));
    }
  });
});
