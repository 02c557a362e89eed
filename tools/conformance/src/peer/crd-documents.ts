import { isJsonObject, type JsonObject, readYaml } from '@kedge/model';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** An object, and what an API server with the definitions says to it. */
export interface CrdDocument {
  readonly id: string;
  readonly object: JsonObject;
  /** A part of the error; undefined where the object is accepted. */
  readonly expectedError?: string;
}

/** The documents of a folder of peer data. */
export function crdDocuments(folder: string): readonly CrdDocument[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return files.sort().flatMap((file) =>
    readYaml(readFileSync(join(folder, file), 'utf8')).objects.flatMap(({ value }, index) => {
      if (!isJsonObject(value)) return [];
      const { _err: error, ...object } = value;
      const id = `${basename(file, '.yaml')}#${index}`;
      return [{ id, object, ...(typeof error === 'string' && error !== '' && { expectedError: error }) }];
    }),
  );
}

/** What is wrong with a verdict: undefined if it is as expected. */
export function verdictFailure({ id, expectedError }: CrdDocument, errors: readonly string[]): string | undefined {
  if (expectedError === undefined) return errors.length === 0 ? undefined : `${id}: is refused: ${errors.join('; ')}`;
  if (errors.some((error) => error.includes(expectedError))) return undefined;
  return `${id}: no error "${expectedError}"${errors.length > 0 ? `, but ${errors.join('; ')}` : ''}`;
}
