import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { say, succeeds } from './run.mjs';

/**
 * @typedef {object} Locked
 * @property {string} [version]
 * @property {string} [resolved]
 * @property {boolean} [optional]
 * @property {boolean} [link]
 */

/**
 * Installs the npm packages, the Node runtime among them, unless `node_modules` is what the lock file asks for.
 *
 * @param {string} root
 */
export function installPackages(root) {
  if (packagesAreCurrent(root)) return;
  say('installing npm packages');
  // An inherited NODE_ENV=production must not leave out what tests and the build need.
  const args = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!succeeds('npm', args, { cwd: root })) throw new Error('npm ci failed; its output is above');
}

/**
 * Whether `node_modules` holds what the lock file asks for. npm records in `node_modules/.package-lock.json` what it
 * installed; packages for other platforms are optional and absent.
 *
 * @param {string} root
 */
export function packagesAreCurrent(root) {
  const installed = lockedPackages(join(root, 'node_modules', '.package-lock.json'));
  const wanted = lockedPackages(join(root, 'package-lock.json'));
  if (installed === undefined || wanted === undefined) return false;
  return Object.entries(wanted).every(([path, { version, resolved, optional, link }]) => {
    if (!path.includes('node_modules/')) return true;
    // A package of this workspace, as long as it has not been removed.
    if (link) return existsSync(join(root, path)) || !existsSync(join(root, resolved ?? ''));
    const found = installed[path];
    return found === undefined ? optional === true : found.version === version && found.resolved === resolved;
  });
}

/** @param {string} file @returns {Readonly<Record<string, Locked>> | undefined} */
function lockedPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).packages : undefined;
}
