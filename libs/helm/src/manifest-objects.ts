import { decodeYaml, fromValue } from '@kedge/go-template';
import { ChartError } from './chart-error.ts';
import type { Values } from './chart.ts';
import type { RenderedFile } from './render-chart.ts';
import { isValues } from './values.ts';

/**
 * The objects in rendered files, in their order; notes and empty documents are left out. As Helm applies them: a text with which a
 * document ends has no line break at its end. Throws a ChartError.
 */
export function manifestObjects(rendered: readonly RenderedFile[]): readonly Values[] {
  return rendered
    .filter(({ file }) => !file.endsWith('NOTES.txt'))
    .flatMap(({ file, text }) =>
      documentsOf(text)
        .map((document) => objectOf(file, document))
        .filter((object) => object !== undefined),
    );
}

const documentsOf = (text: string): readonly string[] =>
  text.split(/^---(?:[ \t].*)?$/m).map((document) => document.trim());

function objectOf(file: string, document: string): Values | undefined {
  let value: unknown;
  try {
    value = fromValue(decodeYaml(document));
  } catch (error) {
    throw new ChartError(`${file}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  if (value === null) return undefined;
  if (!isValues(value)) throw new ChartError(`${file}: is no object: ${document.slice(0, 80)}`);
  return value;
}
