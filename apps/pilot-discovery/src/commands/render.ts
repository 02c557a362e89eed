import { statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listManifests } from '@kedge/config';
import { type Diagnostic, formatDiagnostic } from '@kedge/model';
import { generationDiagnostics } from '@kedge/networking';
import { decodeResource, type InputFile, readScenario, renderProxy, type Scenario } from '@kedge/render';
import type { Command } from 'commander';

interface RenderFlags {
  readonly filename: readonly string[];
  readonly proxies: string;
  readonly output: string;
  readonly meshConfig?: string;
  readonly networksConfig?: string;
}

/** `render`: what the proxies of a file would get, without a server. Fails after all is written where input is wrong. */
export function addRenderCommand(program: Command): void {
  program
    .command('render')
    .description('write the Envoy configuration that manifests give, without a server')
    .requiredOption('-f, --filename <path...>', 'manifests: files, or folders that are read with their subfolders')
    .requiredOption('--proxies <file>', 'whom to render for: name, node and metadata of each proxy')
    .requiredOption('-o, --output <dir>', 'folder for DIR/PROXY/TYPE.json')
    .option('--meshConfig <file>', 'mesh configuration')
    .option('--networksConfig <file>', 'networks of the mesh')
    .action(async (flags: RenderFlags) => {
      const scenario = await readInput(flags);
      for (const diagnostic of scenario.diagnostics) report(diagnostic);
      await writeScenario(scenario, flags.output);
      const errors = scenario.diagnostics.filter(({ severity }) => severity === 'error').length;
      if (errors > 0) throw new Error(`what is wrong is left out of ${flags.output} (errors: ${errors})`);
    });
}

/** Tells what is wrong, and where it is only for one proxy, for which. */
function report(diagnostic: Diagnostic, proxy?: string): void {
  process.stderr.write(`${proxy === undefined ? '' : `${proxy}: `}${formatDiagnostic(diagnostic)}\n`);
}

async function readInput(flags: RenderFlags): Promise<Scenario> {
  const files = flags.filename.flatMap(manifestFiles);
  return readScenario({
    manifests: await Promise.all(files.map(readInputFile)),
    proxies: await readInputFile(flags.proxies),
    ...(flags.meshConfig ? { meshConfig: await readInputFile(flags.meshConfig) } : {}),
    ...(flags.networksConfig ? { meshNetworks: await readInputFile(flags.networksConfig) } : {}),
  });
}

async function readInputFile(name: string): Promise<InputFile> {
  return { name, text: await readFile(name, 'utf8') };
}

/** A file by itself, or the manifests below a folder, as the server reads it. */
function manifestFiles(path: string): readonly string[] {
  return statSync(path).isDirectory() ? listManifests(path) : [path];
}

async function writeScenario({ push, proxies }: Scenario, output: string): Promise<void> {
  for (const { name, proxy } of proxies) {
    for (const diagnostic of push.evaluate(proxy, generationDiagnostics)) report(diagnostic, name);
    const folder = join(output, name);
    await mkdir(folder, { recursive: true });
    for (const [type, resources] of Object.entries(renderProxy(push, proxy))) {
      await writeFile(join(folder, `${type}.json`), `${JSON.stringify(resources.map(decodeResource), null, 1)}\n`);
    }
  }
}
