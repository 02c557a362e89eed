import { existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The oldest Node that runs the sources as they are. */
const minimumNode = 24;

/**
 * Makes `npm run` find the Node of the runtime package first. npm 11 links it by itself, npm 10 does not. Where there is no
 * such package for the platform, the Node that runs this must do.
 *
 * @param {string} root
 */
export function linkRuntime(root) {
  if (hasRuntime(root)) return;
  const name = `node-${process.platform}-${process.arch}`;
  const bin = join(root, 'node_modules', '.bin');
  if (existsSync(join(root, 'node_modules', name, 'bin', 'node'))) {
    mkdirSync(bin, { recursive: true });
    symlinkSync(`../${name}/bin/node`, join(bin, 'node'));
  } else if (Number.parseInt(process.versions.node) < minimumNode) {
    throw new Error(
      `there is no package ${name}; so Node ${minimumNode} or newer is needed, this is ${process.version}`,
    );
  }
}

/** @param {string} root */
function hasRuntime(root) {
  return lstatSync(join(root, 'node_modules', '.bin', 'node'), { throwIfNoEntry: false }) !== undefined;
}
