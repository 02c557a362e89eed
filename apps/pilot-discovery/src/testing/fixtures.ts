import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InputFile, readScenario, type Scenario } from '@kedge/render';

const folder = join(import.meta.dirname, '../../../../tools/conformance/fixtures/xds');

/** Names of the conformance scenarios. */
export const scenarioNames: readonly string[] = readdirSync(folder).filter((name) =>
  existsSync(join(folder, name, 'proxies.yaml')),
);

export function conformanceScenario(scenario: string): Scenario {
  const file = (name: string): InputFile => ({ name, text: readFileSync(join(folder, scenario, name), 'utf8') });
  const optional = (name: string): InputFile | undefined =>
    existsSync(join(folder, scenario, name)) ? file(name) : undefined;
  return readScenario({
    manifests: [file('input.yaml')],
    proxies: file('proxies.yaml'),
    meshConfig: optional('mesh.yaml'),
    meshNetworks: optional('networks.yaml'),
  });
}
