import { spawnSync } from 'node:child_process';

/**
 * Runs a program, its output going to stderr, because stdout is for results.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ readonly cwd?: string, readonly quiet?: boolean }} [options]
 * @returns {boolean} whether it ran and ended with exit code 0
 */
export function succeeds(command, args, options = {}) {
  const output = options.quiet ? 'ignore' : 2;
  const result = spawnSync(command, args, { cwd: options.cwd, stdio: ['ignore', output, output] });
  return result.status === 0;
}

/** @param {string} message */
export function say(message) {
  process.stderr.write(`set-up: ${message}\n`);
}
