import { type Messages, packAny, type SubstitutionFormatString, validate, type Violation } from '@kedge/envoy-api';
import type { MeshConfig } from '@kedge/model';
import { ENVOY_RULES } from '../envoy-rules/envoy-rules.ts';
import { jsonFormat, parseJsonFormat, textFormat } from './access-log-format.ts';

/** A log that Envoy appends to a file. */
export function fileLog(
  path: string,
  logFormat: SubstitutionFormatString,
): Messages['envoy.config.accesslog.v3.AccessLog'] {
  return {
    name: 'envoy.access_loggers.file',
    typedConfig: packAny('envoy.extensions.access_loggers.file.v3.FileAccessLog', { path, logFormat }),
  };
}

type Encoding = (stated?: string) => SubstitutionFormatString;

const ENCODINGS: Readonly<Record<'JSON' | 'TEXT', Encoding>> = {
  JSON: (stated = '') => jsonFormat(parseJsonFormat(stated)),
  TEXT: textFormat,
};

const encodingOf = ({ accessLogEncoding }: MeshConfig): Encoding => ENCODINGS[accessLogEncoding ?? 'TEXT'];

/** What Envoy has against the format that the mesh states. */
export const meshFormatViolations = (mesh: MeshConfig): readonly Violation[] =>
  validate('envoy.config.core.v3.SubstitutionFormatString', encodingOf(mesh)(mesh.accessLogFormat), ENVOY_RULES);

/** The format that the mesh states, if Envoy takes it, or the usual one. */
export function meshFormat(mesh: MeshConfig): SubstitutionFormatString {
  const format = encodingOf(mesh);
  return meshFormatViolations(mesh).length === 0 ? format(mesh.accessLogFormat) : format();
}
