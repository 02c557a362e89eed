// Prepares a fresh clone. Runs on any Node from 20 with nothing installed, hence plain JavaScript without packages.
//
//   node tools/workspace/src/setup/main.mjs [packages] [runtime] [gen] [envoy] [helm]
//
// Each step is skipped when its result is already there and up to date. `envoy` and `helm` print the paths of binaries; all
// else goes to stderr.
import { fileURLToPath } from 'node:url';
import { findEnvoy } from './envoy.mjs';
import { generate } from './generate.mjs';
import { findHelm } from './helm.mjs';
import { installPackages } from './packages.mjs';
import { linkRuntime } from './runtime.mjs';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** @type {Readonly<Record<string, () => void>>} */
const steps = {
  packages: () => {
    installPackages(root);
    linkRuntime(root);
  },
  runtime: () => linkRuntime(root),
  gen: () => generate(root),
  envoy: () => process.stdout.write(`${findEnvoy(root)}\n`),
  helm: () => process.stdout.write(`${findHelm(root)}\n`),
};

try {
  for (const name of process.argv.slice(2)) {
    const step = steps[name];
    if (step === undefined) throw new Error(`unknown step "${name}"; there are: ${Object.keys(steps).join(', ')}`);
    step();
  }
} catch (error) {
  process.stderr.write(`set-up: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
