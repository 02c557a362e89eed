import { NotBuiltError } from '@kedge/cli';
import { type Command, Option } from 'commander';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Io, readInput } from '../io.ts';
import { listOfErrors } from '../multi-error.ts';

interface KubeInjectFlags {
  readonly filename?: string;
  readonly output?: string;
  readonly meshConfigFile?: string;
  readonly meshConfigMapName: string;
  readonly injectConfigFile?: string;
  readonly valuesFile?: string;
  readonly operatorFileName?: string;
  readonly revision?: string;
}

const FROM_CLUSTER = ['webhookConfig', 'xds-address', 'xds-label', 'xds-port', 'authority', 'cert-dir', 'timeout'];

/** Adds `kube-inject`: pods of a file get what the webhook would give them. */
export function addKubeInject(program: Command, io: Io): void {
  const command = program
    .command('kube-inject')
    .description('add the sidecar to the pods in a file, as the injector of the mesh would when they are created')
    .option('-f, --filename <file>', 'the file with Kubernetes objects; - is standard input')
    .option('-o, --output <file>', 'where to write the result; standard output if not given')
    .option('--injectConfigFile <file>', 'configuration of the injector (its templates), or a template')
    .option('--meshConfigFile <file>', 'mesh configuration; comes before --meshConfigMapName')
    .option('--valuesFile <file>', 'values of the injection')
    .option(
      '--operatorFileName <file>',
      'an IstioOperator whose values and mesh configuration come before those of files',
    )
    .option('--meshConfigMapName <name>', 'config map with the mesh configuration, under the key "mesh"', 'istio')
    .option('-r, --revision <revision>', 'revision of the control plane')
    .addOption(new Option('--injectConfigMapName <name>').default('istio-sidecar-injector').hideHelp())
    .addOption(new Option('--insecure').hideHelp())
    .addOption(new Option('--plaintext').hideHelp());
  for (const flag of FROM_CLUSTER) command.addOption(new Option(`--${flag} <value>`).hideHelp());
  command.action(async (flags: KubeInjectFlags) => {
    const problems = [
      ...(flags.filename ? [] : ['filename not specified (see --filename or -f)']),
      ...(flags.meshConfigFile || flags.meshConfigMapName || flags.operatorFileName
        ? []
        : ['--meshConfigFile or --meshConfigMapName or --operatorFileName must be set']),
    ];
    if (problems.length > 0) throw new Error(listOfErrors(problems));
    const { output, warnings } = await inject(flags, io);
    if (flags.output) writeFileSync(resolve(io.directory, flags.output), output);
    else io.write(output);
    if (warnings.length > 0) io.writeError(`\n${warnings.map((warning) => `${warning}\n`).join('')}`);
  });
}

async function inject(flags: KubeInjectFlags, io: Io) {
  const [{ kubeInject }, { readMesh, readOperatorFile, readTemplates, readValues }] = await Promise.all([
    import('./kube-inject.ts'),
    import('./inputs.ts'),
  ]);
  const { filename = '', operatorFileName, revision = '' } = flags;
  const operator = operatorFileName ? readOperatorFile(operatorFileName, readInput(io, operatorFileName)) : undefined;
  const given = (flag: 'injectConfigFile' | 'meshConfigFile' | 'valuesFile'): string =>
    readInput(io, needed(flags, flag));
  const mesh = operator?.mesh ?? given('meshConfigFile');
  const { ENABLE_NATIVE_SIDECARS: native, ...environment } = io.environment;
  return kubeInject(readInput(io, filename), {
    templates: readTemplates(given('injectConfigFile')),
    mesh: readMesh(mesh, flags.meshConfigFile),
    values: readValues(operator?.values ?? given('valuesFile')),
    revision: revision === 'default' ? '' : revision,
    nativeSidecars: native === 'true',
    environment: Object.fromEntries(Object.entries(environment).map(([name, value = '']) => [name, value])),
  });
}

function needed(flags: KubeInjectFlags, flag: 'injectConfigFile' | 'meshConfigFile' | 'valuesFile'): string {
  const file = flags[flag];
  if (file) return file;
  throw new NotBuiltError(`reading it from a cluster is not built yet in this version: pass --${flag}`);
}
