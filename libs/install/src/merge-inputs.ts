import { isJsonObject, type Json, type JsonObject, readYaml } from '@kedge/model';
import { InstallError } from './install-error.ts';
import { profileSpec, type ProfileSource } from './profiles.ts';
import { applySetFlag } from './set-flag.ts';
import { child, overlay, textAt, treeOf, valueAt } from './tree.ts';

export interface InstallInputs {
  /** Texts of IstioOperator files; later ones are laid over earlier ones. */
  readonly files?: readonly OperatorFile[];
  /** `PATH=VALUE`, in the order given; paths begin below `spec`. */
  readonly sets?: readonly string[];
  readonly profiles?: ProfileSource;
}

export interface OperatorFile {
  readonly name: string;
  readonly text: string;
}

/** An IstioOperator: what is to be installed. */
export interface Operator {
  readonly namespace: string;
  /** With `values` as charts take them, common settings included. */
  readonly spec: JsonObject;
  /** Everything, as validation sees it. */
  readonly object: JsonObject;
}

const EMPTY: JsonObject = { apiVersion: 'install.istio.io/v1alpha1', kind: 'IstioOperator', metadata: {}, spec: {} };

/** The spec with what files and flags say, before the profile is known. */
export function userOperator({ files = [], sets = [] }: InstallInputs): JsonObject {
  const fromFiles = files.map(readOperator).reduce(overlay, EMPTY);
  return { ...fromFiles, spec: sets.reduce(applySetFlag, child(fromFiles, 'spec')) };
}

/**
 * One IstioOperator of all inputs; what is told later wins: profile, files, flags. Throws an InstallError
 * for what cannot be read; whether what it says makes sense is not looked at.
 */
export function mergeInputs(inputs: InstallInputs): Operator {
  const user = userOperator(inputs);
  const own = child(user, 'spec');
  const profile = profileSpec(textAt(own, 'profile'), inputs.profiles);
  const base = overlay(profile, own);
  const layers = [sharedTexts(base), child(own, 'values'), sharedTrees(base)];
  const spec = layers.map((values) => ({ values })).reduce(overlay, base);
  const namespace = textAt(spec, 'values', 'global', 'istioNamespace') || textAt(child(user, 'metadata'), 'namespace');
  const metadata = { ...child(user, 'metadata'), ...(namespace !== '' && { namespace }) };
  return { namespace, spec, object: { ...user, metadata, spec } };
}

/** Settings of the spec that are values of charts under another name; what the user says in values wins. */
const TRANSLATED: Readonly<Record<string, readonly string[]>> = {
  hub: ['global', 'hub'],
  tag: ['global', 'tag'],
  revision: ['revision'],
  compatibilityVersion: ['compatibilityVersion'],
};

function sharedTexts(spec: JsonObject): JsonObject {
  const translated = Object.entries(TRANSLATED).flatMap(([field, path]) => {
    const value = spec[field];
    return value === undefined || value === null ? [] : [treeOf(path, String(value))];
  });
  return translated.reduce(overlay, {});
}

/** What wins over values, for components and mesh config are said in the spec: values only repeat them. */
function sharedTrees(spec: JsonObject): JsonObject {
  const enabled = (component: string): Json => valueAt(spec, 'components', component, 'enabled') === true;
  const components = { pilot: { enabled: enabled('pilot'), cni: { enabled: enabled('cni') } } };
  return isJsonObject(spec.meshConfig) ? { ...components, meshConfig: spec.meshConfig } : components;
}

function readOperator({ name, text }: OperatorFile): JsonObject {
  const { objects, diagnostics } = readYaml(text, name);
  const [problem] = diagnostics;
  if (problem !== undefined)
    throw new InstallError(`unable to parse file: ${name}:${problem.line ?? 1}: ${problem.message}`);
  const values = objects.map(({ value }) => value);
  if (values.length > 1)
    throw new InstallError(`${name} contains multiple IstioOperator CRs, only one per file is supported`);
  const [value = {}] = values;
  if (!isJsonObject(value)) throw new InstallError(`${name} holds no object`);
  const { spec, ...rest } = value;
  return spec === undefined || spec === null ? rest : value;
}
