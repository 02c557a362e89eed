import { type Command, Option } from 'commander';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { openCluster } from '../cluster.ts';
import type { GlobalFlags } from '../global-flags.ts';
import { type Io, readInput } from '../io.ts';
import { listOfErrors } from '../multi-error.ts';

interface KubeInjectFlags {
  readonly filename?: string;
  readonly output?: string;
  readonly meshConfigFile?: string;
  readonly meshConfigMapName: string;
  readonly injectConfigFile?: string;
  readonly injectConfigMapName: string;
  readonly valuesFile?: string;
  readonly operatorFileName?: string;
  readonly revision?: string;
}

/** How Istio finds an injector outside of the cluster. */
const WITHOUT_EFFECT = ['xds-address', 'xds-label', 'xds-port', 'authority', 'cert-dir', 'timeout'];

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
    .addOption(new Option('--webhookConfig <name>', 'has no effect: config maps say the same').hideHelp())
    .addOption(new Option('--insecure').hideHelp())
    .addOption(new Option('--plaintext').hideHelp());
  for (const flag of WITHOUT_EFFECT) command.addOption(new Option(`--${flag} <value>`).hideHelp());
  command.action(async (flags: KubeInjectFlags) => {
    const problems = [
      ...(flags.filename ? [] : ['filename not specified (see --filename or -f)']),
      ...(flags.meshConfigFile || flags.meshConfigMapName || flags.operatorFileName
        ? []
        : ['--meshConfigFile or --meshConfigMapName or --operatorFileName must be set']),
    ];
    if (problems.length > 0) throw new Error(listOfErrors(problems));
    const { output, warnings } = await inject(flags, command.optsWithGlobals<GlobalFlags>(), io);
    if (flags.output) writeFileSync(resolve(io.directory, flags.output), output);
    else io.write(output);
    if (warnings.length > 0) io.writeError(`\n${warnings.map((warning) => `${warning}\n`).join('')}`);
  });
}

async function inject(flags: KubeInjectFlags, globals: GlobalFlags, io: Io) {
  const [{ kubeInject }, { installedInputs }, { readMesh, readOperatorFile, readTemplates, readValues }] =
    await Promise.all([import('./kube-inject.ts'), import('./installed.ts'), import('./inputs.ts')]);
  const { filename = '', operatorFileName } = flags;
  const revision = flags.revision === 'default' ? '' : (flags.revision ?? '');
  const operator = operatorFileName ? readOperatorFile(operatorFileName, readInput(io, operatorFileName)) : undefined;
  const installed = installedInputs(() => openCluster(io, globals), {
    ...{ namespace: globals.istioNamespace, revision },
    ...{ mesh: flags.meshConfigMapName, injector: flags.injectConfigMapName },
  });
  const given = (file: string | undefined, otherwise: () => Promise<string>): Promise<string> =>
    file ? Promise.resolve(readInput(io, file)) : otherwise();
  const { ENABLE_NATIVE_SIDECARS: native, ...environment } = io.environment;
  const text = readInput(io, filename);
  return kubeInject(text, {
    mesh: readMesh(operator?.mesh ?? (await given(flags.meshConfigFile, installed.mesh)), flags.meshConfigFile),
    templates: readTemplates(await given(flags.injectConfigFile, installed.templates)),
    values: readValues(operator?.values ?? (await given(flags.valuesFile, installed.values))),
    revision,
    nativeSidecars: native === 'true',
    environment: Object.fromEntries(Object.entries(environment).map(([name, value = '']) => [name, value])),
  });
}
