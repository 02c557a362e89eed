import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ChartError } from './chart-error.ts';
import type { Chart, Values } from './chart.ts';
import { isValues } from './values.ts';

const OPTIONS: Options = { allErrors: true, strict: false, validateSchema: false, logger: false };

/** Holds values against the schemas of a chart and its dependencies. Throws a ChartError that lists all that is wrong. */
export function checkValues(chart: Chart, values: Values): void {
  const found = faults(chart, values);
  if (found.length > 0)
    throw new ChartError(
      `values don't meet the specifications of the schema(s) in the following chart(s):\n${found.join('\n')}`,
    );
}

function faults({ metadata, schema, dependencies = [] }: Chart, values: Values): readonly string[] {
  const own = schema === undefined ? [] : schemaFaults(schema, values);
  return [
    ...(own.length > 0 ? [`${metadata.name}:`, ...own] : []),
    ...dependencies.flatMap((dependency) => {
      const inner = values[dependency.metadata.name];
      return isValues(inner) ? faults(dependency, inner) : [];
    }),
  ];
}

function schemaFaults({ $schema, ...schema }: Values, values: Values): readonly string[] {
  const isRecent = typeof $schema === 'string' && /draft\/20/.test($schema);
  const validate = new (isRecent ? Ajv2020 : Ajv)(OPTIONS).compile(schema);
  return validate(values) ? [] : (validate.errors ?? []).map(faultText);
}

/** The places of a fault are the paths of values, as users write them. */
function faultText({ instancePath, message = '', params }: ErrorObject): string {
  const detail = typeof params.additionalProperty === 'string' ? ` (${params.additionalProperty})` : '';
  return `- ${instancePath === '' ? '(root)' : instancePath.slice(1).replaceAll('/', '.')}: ${message}${detail}`;
}
