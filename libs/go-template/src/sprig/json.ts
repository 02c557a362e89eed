import { FunctionError } from '../exec/template-error.ts';
import { decodeJson } from '../json/decode.ts';
import { encodeJson } from '../json/encode.ts';
import { codecs, fn, type FunctionTable } from '../value/function.ts';

const { any, string } = codecs;

/** The answer, or `otherwise` where there is an error: sprig has each function in both kinds. */
export const lenient = <T>(answer: () => T, otherwise: T): T => {
  try {
    return answer();
  } catch (error) {
    if (error instanceof FunctionError) return otherwise;
    throw error;
  }
};

const pretty = { indent: '  ', escapeHtml: true };
const raw = { escapeHtml: false };

export const jsonFunctions: FunctionTable = {
  toJson: fn([any], string, (value) => lenient(() => encodeJson(value), '')),
  mustToJson: fn([any], string, (value) => encodeJson(value)),
  toPrettyJson: fn([any], string, (value) => lenient(() => encodeJson(value, pretty), '')),
  mustToPrettyJson: fn([any], string, (value) => encodeJson(value, pretty)),
  toRawJson: fn([any], string, (value) => encodeJson(value, raw)),
  mustToRawJson: fn([any], string, (value) => encodeJson(value, raw)),
  fromJson: fn([string], any, (text) => lenient(() => decodeJson(text), null)),
  mustFromJson: fn([string], any, decodeJson),
};
