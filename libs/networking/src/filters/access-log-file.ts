import { type Messages, packAny, type SubstitutionFormatString } from '@kedge/envoy-api';
import type { MeshConfig } from '@kedge/model';
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

/** The format that the mesh states, or the usual one. */
export function meshFormat({ accessLogFormat = '', accessLogEncoding }: MeshConfig): SubstitutionFormatString {
  return accessLogEncoding === 'JSON' ? jsonFormat(parseJsonFormat(accessLogFormat)) : textFormat(accessLogFormat);
}
