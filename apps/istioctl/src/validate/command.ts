import { type Command, Option } from 'commander';
import { readdirSync, statSync } from 'node:fs';
import { extname, join, resolve } from 'node:path';
import type { GlobalFlags } from '../global-flags.ts';
import { type Io, readInput, reasonOf } from '../io.ts';
import { listOfErrors } from '../multi-error.ts';
import type { TextFindings } from './validate-text.ts';

const EXTENSIONS: ReadonlySet<string> = new Set(['.json', '.yaml', '.yml']);
const MISSING = `you must specify resources by --filename.
Example resource specifications include:
   '-f rsrc.yaml'
   '--filename=rsrc.json'`;

/** Adds `validate`: files are held to the rules by which the webhook takes objects. */
export function addValidate(program: Command, io: Io): void {
  program
    .command('validate')
    .alias('v')
    .description('validate files of objects of the mesh')
    .option(
      '-f, --filename <file>',
      'a file, a folder whose YAML and JSON files are meant, or - for standard input',
      (value: string, previous: readonly string[]) => [...previous, ...value.split(',')],
      [] as readonly string[],
    )
    .addOption(new Option('-x, --referential [wanted]', 'has no effect').hideHelp())
    .action(async ({ filename }: { readonly filename: readonly string[] }, command: Command) => {
      if (filename.length === 0) throw new Error(MISSING);
      const { istioNamespace, namespace = 'default' } = command.optsWithGlobals<GlobalFlags>();
      const [{ validateText }, { checkEnvoyMessage }] = await Promise.all([
        import('./validate-text.ts'),
        import('@kedge/networking'),
      ]);
      const errors: string[] = [];
      const results: { readonly file: string; readonly findings: TextFindings }[] = [];
      for (const { file, problem } of filename.flatMap((path) => filesOf(io, path))) {
        if (problem !== undefined) {
          errors.push(problem);
          continue;
        }
        const options = { namespace, istioNamespace, checkEnvoyMessage };
        const findings = validateText(file, readInput(io, file), options);
        results.push({ file, findings });
        errors.push(...findings.errors);
        for (const note of findings.notes) io.writeError(note);
      }
      for (const { file, findings } of results) report(io, file, findings, errors.length > 0);
      if (errors.length > 0) throw new Error(listOfErrors(errors));
    });
}

/** Files that are fine are told only if all are. */
function report(io: Io, file: string, { warnings }: TextFindings, hasErrors: boolean): void {
  const list = `\n\t${warnings.map((text) => `* ${text}`).join('\n\t')}\n`;
  if (warnings.length > 0) io.writeError(file === '-' ? list : `"${file}" has warnings: ${list}\n`);
  else if (!hasErrors) io.writeError(file === '-' ? 'validation succeed\n' : `"${file}" is valid\n`);
}

interface FoundFile {
  readonly file: string;
  /** Why it cannot be read. */
  readonly problem?: string;
}

function filesOf(io: Io, path: string): readonly FoundFile[] {
  if (path === '-') return [{ file: path }];
  try {
    if (!statSync(resolve(io.directory, path)).isDirectory()) return [{ file: path }];
    const entries = readdirSync(resolve(io.directory, path), { recursive: true, encoding: 'utf8' }).sort();
    return entries.filter((entry) => EXTENSIONS.has(extname(entry))).map((entry) => ({ file: join(path, entry) }));
  } catch (error) {
    return [{ file: path, problem: `cannot stat file "${path}": stat ${path}: ${reasonOf(error)}` }];
  }
}
