import {
  type ComponentManifests,
  generateManifests,
  type InstallInputs,
  InstallError,
  mergeInputs,
  textAt,
  userOperator,
  validateOperator,
} from '@kedge/install';
import { isJsonObject } from '@kedge/model';
import { type Io, readInput } from '../io.ts';
import { openCharts } from './charts.ts';

export interface ManifestFlags {
  readonly filename: readonly string[];
  readonly set: readonly string[];
  readonly revision?: string;
  readonly manifests?: string;
  readonly charts?: string;
  readonly force?: boolean;
}

export interface Generated {
  readonly parts: readonly ComponentManifests[];
  /** Where the charts are. */
  readonly folder: string;
}

/** The objects that files and flags ask for. What is doubtful goes to standard error. */
export function generate(flags: ManifestFlags, io: Io): Generated {
  const inputs = inputsOf(flags, io);
  const { spec = null } = userOperator(inputs);
  const { folder, charts, profiles } = openCharts(io, isJsonObject(spec) ? textAt(spec, 'installPackagePath') : '');
  const operator = mergeInputs({ ...inputs, profiles });
  const { errors, warnings } = validateOperator(operator.object);
  if (errors.length > 0 && flags.force !== true) throw new InstallError(errors.join(', '));
  if (errors.length > 0) io.writeError(`spec invalid; continuing because of --force: ${errors.join(', ')}\n`);
  const parts = generateManifests(operator, { charts });
  for (const warning of [...warnings, ...parts.flatMap((part) => part.warnings)]) io.writeError(`❗ ${warning}\n`);
  return { parts, folder };
}

/** `--manifests` and `--revision` are other words for settings. */
function inputsOf({ filename, set, revision = '', ...flags }: ManifestFlags, io: Io): InstallInputs {
  const last = filename.length - 1;
  if (filename.slice(0, last).includes('-')) throw new InstallError('stdin is only allowed as the last filename');
  const path = flags.manifests ?? flags.charts ?? '';
  return {
    files: filename.map((name) => ({ name, text: readInput(io, name.trim()) })),
    sets: [
      ...set,
      ...(path === '' ? [] : [`installPackagePath=${path}`]),
      ...(revision === '' || revision === 'default' ? [] : [`revision=${revision}`]),
    ],
  };
}
