import { execFile } from 'node:child_process';
import type { OptionalExtension } from '../bootstrap/bootstrap.ts';

const timeoutMs = 10_000;

/** Asks the binary itself which of the extensions it lacks, by letting it validate a bootstrap with nothing else in it. */
export async function missingExtensions(
  binaryPath: string,
  extensions: readonly OptionalExtension[],
): Promise<ReadonlySet<string>> {
  const answers = await Promise.all(extensions.map(({ name, probe }) => isMissing(binaryPath, name, probe)));
  return new Set(extensions.filter((_, index) => answers[index]).map(({ name }) => name));
}

function isMissing(binaryPath: string, name: string, probe: object): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const args = ['--mode', 'validate', '--disable-hot-restart', '--config-yaml', JSON.stringify(probe)];
  execFile(binaryPath, args, { timeout: timeoutMs }, (error, stdout, stderr) => {
    // A probe may be refused for other reasons; only this one means that the extension is not there.
    if (error && typeof error.code === 'string') reject(error);
    else resolve(`${stdout}${stderr}`.includes(`Didn't find a registered implementation for '${name}'`));
  });
  return promise;
}
