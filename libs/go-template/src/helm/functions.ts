import { FunctionError, TemplateError } from '../exec/template-error.ts';
import { type TemplateSet } from '../exec/template-set.ts';
import { decodeJson, expectJson } from '../json/decode.ts';
import { lenient } from '../sprig/json.ts';
import { sprigFunctions } from '../sprig/index.ts';
import { type SprigOptions } from '../sprig/options.ts';
import { quote } from '../text/quote.ts';
import { toValue } from '../value/convert.ts';
import { codecs, fn, variadic, type Codec, type FunctionTable, type GoFunction } from '../value/function.ts';
import { types, type GoType } from '../value/type.ts';
import { GoList, GoMap, type Value } from '../value/value.ts';
import { decodeYaml } from '../yaml/decode.ts';
import { encodeYaml } from '../yaml/encode.ts';

const { any, map, string } = codecs;

export interface HelmOptions extends SprigOptions {
  /** What `lookup` finds in the cluster, as JSON: an object, or a list of them if no name is given. Nothing by default. */
  readonly lookup?: (apiVersion: string, kind: string, namespace: string, name: string) => unknown;
}

const messageOf = (error: unknown): string => {
  if (error instanceof FunctionError) return error.message;
  throw error;
};

const listResult: Codec<GoList> = { type: types.anyList, decode: (value) => value as GoList, encode: (value) => value };

interface Format {
  readonly decode: (text: string) => Value;
  /** How the error about a document of another type begins. */
  readonly context: string;
  /** Whether a document that is null leaves an empty map or list, and no nil one. */
  readonly nullIsEmpty: boolean;
}

const json: Format = { decode: decodeJson, context: '', nullIsEmpty: false };

const yaml: Format = {
  decode: (text) => {
    try {
      return decodeYaml(text);
    } catch (error) {
      throw new FunctionError(`error converting YAML to JSON: ${messageOf(error)}`);
    }
  },
  context: 'error unmarshaling JSON: while decoding JSON: ',
  nullIsEmpty: true,
};

const decodeAs = ({ decode, context, nullIsEmpty }: Format, type: GoType, text: string): GoMap | GoList => {
  const value = decode(text);
  if (value === null && nullIsEmpty) return type === types.anyMap ? new GoMap([]) : new GoList([]);
  try {
    return expectJson(value, type);
  } catch (error) {
    throw new FunctionError(context + messageOf(error));
  }
};

/** Functions that answer with a map or a list; an error is put into the answer. */
const toMap = (format: Format): GoFunction =>
  fn([string], map, (text) => {
    try {
      return decodeAs(format, types.anyMap, text) as GoMap;
    } catch (error) {
      return new GoMap([['Error', messageOf(error)]]);
    }
  });

const toList = (format: Format): GoFunction =>
  fn([string], listResult, (text) => {
    try {
      return decodeAs(format, types.anyList, text) as GoList;
    } catch (error) {
      return new GoList([messageOf(error)]);
    }
  });

/** The marks between which an error's text is the user's own. */
export const warning = { start: 'HELM_ERR_START', end: 'HELM_ERR_END' } as const;

const warn = (message: string): never => {
  throw new FunctionError(warning.start + message + warning.end);
};

const isMissing = (value: Value): boolean => value === null || value === undefined || value === '';

const unsupported = (name: string): GoFunction =>
  variadic([], any, string, () => {
    throw new FunctionError(`${name} is not supported`);
  });

/** Helm's functions that need nothing of the chart, and sprig's. */
export const helmFunctions = (options: HelmOptions = {}): FunctionTable => {
  const { env: _env, expandenv: _expandenv, ...sprig } = sprigFunctions(options);
  return {
    ...sprig,
    toYaml: fn([any], string, (value) => lenient(() => encodeYaml(value), '')),
    toYamlPretty: fn([any], string, (value) => lenient(() => encodeYaml(value, { pretty: true }), '')),
    fromYaml: toMap(yaml),
    fromYamlArray: toList(yaml),
    fromJson: toMap(json),
    fromJsonArray: toList(json),
    toToml: unsupported('toToml'),
    fromToml: unsupported('fromToml'),
    required: fn([string, any], any, (message, value) => (isMissing(value) ? warn(message) : value)),
    fail: fn([string], string, warn),
    lookup: fn([string, string, string, string], map, (apiVersion, kind, namespace, name) => {
      const found = toValue(options.lookup?.(apiVersion, kind, namespace, name));
      return found instanceof GoMap ? found : new GoMap([]);
    }),
  };
};

const maxNesting = 1000;

/** `include` and `tpl` for the templates of a set; `nesting` counts, by name, the includes that are under way. */
export const templateFunctions = (set: TemplateSet, nesting = new Map<string, number>()): FunctionTable => ({
  include: fn([string, any], string, (name, data) => {
    const depth = nesting.get(name) ?? 0;
    if (depth > maxNesting) {
      throw new FunctionError(`rendering template has a nested reference name: ${name}: unable to execute template`);
    }
    nesting.set(name, depth + 1);
    try {
      return set.execute(name, data);
    } finally {
      nesting.set(name, depth);
    }
  }),
  tpl: fn([string, any], string, (text, data) => {
    const inner = set.clone();
    inner.addFunctions(templateFunctions(inner, nesting));
    const context = (error: unknown, what: string): FunctionError =>
      error instanceof TemplateError
        ? new FunctionError(`${what} ${quote(text)}: ${error.message}`)
        : (error as FunctionError);
    let run: (data: Value) => string;
    try {
      run = inner.prepare(set.name, text);
    } catch (error) {
      throw context(error, 'cannot parse template');
    }
    try {
      return run(data).replaceAll('<no value>', '');
    } catch (error) {
      throw context(error, 'error during tpl function execution for');
    }
  }),
});
