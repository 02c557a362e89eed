import { isDnsLabel } from './dns.ts';
import { type Issues, quote } from './issues.ts';

export interface ExportToRules {
  readonly namespace: string;
  /** Whether `~`, nobody, is a choice: only a service can be of use to nobody but its own workloads. */
  readonly allowNone?: boolean;
  /** Whether the object is for the workloads of its own namespace only. */
  readonly ownNamespaceOnly?: boolean;
}

export function validateExportTo(issues: Issues, exportTo: readonly string[], rules: ExportToRules): void {
  const { namespace, allowNone = false, ownNamespaceOnly = false } = rules;
  const targets = new Set<string>();
  issues.each('exportTo', exportTo, (at, entry) => {
    const target = entry === '.' ? namespace : entry;
    if (targets.has(target))
      at.error('duplicate-entry', `${quote(entry)} stands for a namespace that is in the list already`);
    else if (target === '*' || isDnsLabel(target) || (allowNone && target === '~')) targets.add(target);
    else at.error('invalid-export-to', `${quote(entry)} must be ".", "*"${allowNone ? ', "~"' : ''} or a namespace`);
  });

  const list = issues.at('exportTo');
  if (ownNamespaceOnly && targets.size > 0 && (targets.size > 1 || !targets.has(namespace))) {
    list.error('invalid-export-to', 'with a workload selector only the own namespace (".") is possible');
  }
  for (const [all, meaning] of Object.entries(EXCLUSIVE)) {
    if (targets.has(all) && exportTo.length > 1)
      list.error('conflicting-export-to', `"${all}" (${meaning}) must stand alone`);
  }
}

const EXCLUSIVE = { '*': 'everybody', '~': 'nobody' };
