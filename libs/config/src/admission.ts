import { type Config, type Diagnostic, lookupKind } from '@kedge/model';

/** What a source takes in. */
export interface AdmissionOptions {
  /** Objects of Istio's kinds that are labelled for another revision are not this control plane's business. */
  readonly revision?: string;
  /** Errors keep an object out. */
  readonly validate?: (config: Config) => readonly Diagnostic[];
}

const REVISION_LABEL = 'istio.io/rev';

/** Whether the object is for this revision: its label says so, or it has none. */
export function isOfRevision(config: Config, revision: string | undefined): boolean {
  if (revision === undefined) return true;
  const stated = config.labels[REVISION_LABEL];
  return stated === undefined || stated === revision || !lookupKind(`${config.group}/${config.version}`, config.kind);
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error');
