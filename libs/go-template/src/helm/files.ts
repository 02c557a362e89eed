import { encodeBase64 } from '../sprig/encoding.ts';
import { basename } from '../sprig/paths.ts';
import { utf8Encode } from '../text/utf8.ts';
import { codecs, constant, fn } from '../value/function.ts';
import { mapOf, namedType, types } from '../value/type.ts';
import { GoBytes, GoMap, type Methods, type Value } from '../value/value.ts';
import { encodeYaml } from '../yaml/encode.ts';
import { globPattern } from './glob.ts';

const { bytes, string } = codecs;

const filesType = namedType('engine.files', 'map', mapOf(types.bytes));

const textOf = ({ entries }: GoMap, name: string): string => {
  const value: Value = entries.get(name);
  return value instanceof GoBytes ? value.text : '';
};

const byBasename = (files: GoMap, content: (text: string) => string): string =>
  encodeYaml(new GoMap(files.sortedKeys().map((name) => [basename(name), content(textOf(files, name))] as const)));

const lines = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

const methods: Methods<GoMap> = {
  Get: (files) => fn([string], string, (name) => textOf(files, name)),
  GetBytes: (files) => fn([string], bytes, (name) => textOf(files, name)),
  Glob: (files) =>
    fn([string], { type: filesType, decode: (value) => value as GoMap, encode: (value) => value }, (pattern) => {
      const matches = globPattern(pattern);
      return new GoMap(
        [...files.entries].filter(([name]) => matches.test(name)),
        filesType,
        methods,
      );
    }),
  Lines: (files) => fn([string], codecs.strings, (name) => lines(textOf(files, name))),
  AsConfig: (files) => constant(byBasename(files, (text) => text)),
  AsSecrets: (files) => constant(byBasename(files, (text) => encodeBase64(utf8Encode(text)))),
};

/** `.Files`: the chart's files that aren't templates, by path. */
export const filesValue = (files: ReadonlyMap<string, string>): GoMap =>
  new GoMap(
    Array.from(files, ([name, text]) => [name, new GoBytes(text)] as const),
    filesType,
    methods,
  );
