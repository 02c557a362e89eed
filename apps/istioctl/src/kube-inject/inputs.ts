import type { InjectionMesh, InjectionValues } from '@kedge/inject';
import { mergeInputs } from '@kedge/install';
import { formatFinding, isJsonObject, type JsonObject, parseMeshConfig } from '@kedge/model';
import { parse } from 'yaml';

/** Templates of a configuration of the injector, or of a file that is a template itself. */
export function readTemplates(text: string): Readonly<Record<string, string>> {
  try {
    const { templates } = (parse(text) ?? {}) as { readonly templates?: Readonly<Record<string, string>> };
    if (templates !== undefined && Object.keys(templates).length > 0) return templates;
  } catch {
    // A template need not be YAML.
  }
  return { sidecar: text };
}

/** Values as templates see them. Throws where the text is no YAML object. */
export function readValues(text: string): InjectionValues {
  const values = (parse(text) ?? {}) as JsonObject;
  if (!isJsonObject(values)) throw new Error('the injection values are no object');
  const global = isJsonObject(values.global) ? values.global : {};
  const proxy = isJsonObject(global.proxy) ? global.proxy : {};
  return { ...values, global: { hub: '', tag: '', ...global, proxy } } as InjectionValues;
}

/** A mesh config laid over the defaults. Throws with the first thing that is wrong. */
export function readMesh(text: string, file?: string): InjectionMesh {
  const { mesh, diagnostics } = parseMeshConfig(text, file);
  const problem = diagnostics.find(({ severity }) => severity === 'error');
  if (problem) throw new Error(`could not read mesh configuration: ${formatFinding(problem)}`);
  return mesh as unknown as InjectionMesh;
}

/** Values and mesh config of an IstioOperator, whose profile says what it does not. */
export function readOperatorFile(name: string, text: string): { readonly values: string; readonly mesh?: string } {
  const { spec } = mergeInputs({ files: [{ name, text }] });
  return {
    values: JSON.stringify(spec.values ?? {}),
    ...(isJsonObject(spec.meshConfig) && { mesh: JSON.stringify(spec.meshConfig) }),
  };
}
