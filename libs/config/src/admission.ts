import { type Config, type Diagnostic, lookupKind, validateConfig, type Where } from '@kedge/model';

/** What a source takes in. */
export interface AdmissionOptions {
  /** Objects of Istio's kinds that are labelled for another revision are not this control plane's business. */
  readonly revision?: string;
  /** Errors keep an object out. The rules of {@link validateConfig} where nothing else is said. */
  readonly validate?: Validate;
}

/** What is wrong with an object; `where` tells the lines of its fields. */
export type Validate = (config: Config, where?: Where) => readonly Diagnostic[];

export const validateByRules: Validate = (config, where) => validateConfig(config, { where });

const REVISION_LABEL = 'istio.io/rev';

/** Whether the object is for this revision: its label says so, or it has none. */
export function isOfRevision(config: Config, revision: string | undefined): boolean {
  if (revision === undefined) return true;
  const stated = config.labels[REVISION_LABEL];
  return stated === undefined || stated === revision || !lookupKind(`${config.group}/${config.version}`, config.kind);
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error');
