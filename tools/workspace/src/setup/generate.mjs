import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { say, succeeds } from './run.mjs';

const inputs = ['proto', 'tools/codegen/src'];
const outputParents = ['libs', 'apps'];

/**
 * Runs the code generators (`npm run gen`) unless their inputs are those of the last run and its output is still there.
 *
 * @param {string} root
 */
export function generate(root) {
  const stampFile = join(root, '.cache', 'generated.json');
  const hash = hashOf(root);
  if (existsSync(stampFile)) {
    /** @type {{ readonly hash: string, readonly outputs: readonly string[] }} */
    const stamp = JSON.parse(readFileSync(stampFile, 'utf8'));
    if (stamp.hash === hash && stamp.outputs.every((path) => existsSync(join(root, path)))) return;
  }
  say('generating code');
  if (!succeeds('npm', ['run', '--silent', 'gen'], { cwd: root }))
    throw new Error('npm run gen failed; its output is above');
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ hash, outputs: outputsIn(root) }));
}

/** @param {string} root */
function hashOf(root) {
  const hash = createHash('sha256');
  for (const input of inputs) {
    for (const file of filesBelow(root, input)) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** @param {string} root */
function outputsIn(root) {
  return outputParents.flatMap((parent) => filesBelow(root, parent)).filter((file) => file.includes('/generated/'));
}

/** @param {string} root @param {string} folder @returns {string[]} sorted paths from the root */
function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.name !== 'node_modules')
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(root, path) : [path];
    })
    .sort();
}
