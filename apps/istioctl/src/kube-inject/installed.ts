import { configMaps, type KubeClient } from '@kedge/kube';

/** The inputs of the injection as an installation keeps them. */
export interface Installed {
  readonly mesh: () => Promise<string>;
  readonly templates: () => Promise<string>;
  readonly values: () => Promise<string>;
}

export interface InstalledNames {
  readonly namespace: string;
  /** Empty for that without one. */
  readonly revision: string;
  readonly mesh: string;
  readonly injector: string;
}

/** Reads what is needed, when it is needed. Rejects with what is missing, and which flag does without it. */
export function installedInputs(open: () => Promise<KubeClient>, names: InstalledNames): Installed {
  const { namespace, revision } = names;
  const read = async (base: string, key: string, remedy: string): Promise<string> => {
    const name = revision === '' ? base : `${base}-${revision}`;
    const complaint = (reason: string): Error =>
      new Error(`could not read valid configmap "${name}" from namespace "${namespace}": ${reason} - ${remedy}`);
    let data: Readonly<Record<string, string>> | undefined;
    try {
      const found = await (await open()).get(configMaps, { namespace, name });
      if (found === undefined) throw new Error(`configmaps "${name}" not found`);
      data = found.data;
    } catch (error) {
      throw complaint(error instanceof Error ? error.message : String(error));
    }
    const text = data?.[key];
    if (text === undefined) throw new Error(`missing configuration map key "${key}" in "${name}"`);
    return text;
  };
  const remedy = (flag: string): string =>
    `Use --${flag} or re-run kube-inject with \`-i <istioSystemNamespace>\` and ensure that the config map exists`;
  return {
    mesh: () => read(names.mesh, 'mesh', remedy('meshConfigFile')),
    templates: () => read(names.injector, 'config', remedy('injectConfigFile')),
    values: () => read(names.injector, 'values', remedy('valuesFile')),
  };
}
