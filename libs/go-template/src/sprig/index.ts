import { FunctionError } from '../exec/template-error.ts';
import { codecs, fn, type FunctionTable } from '../value/function.ts';
import { cryptoFunctions } from './crypto.ts';
import { dateFunctions } from './dates.ts';
import { defaultFunctions } from './defaults.ts';
import { dictFunctions } from './dicts.ts';
import { encodingFunctions } from './encoding.ts';
import { jsonFunctions } from './json.ts';
import { listFunctions } from './lists.ts';
import { numberFunctions } from './numbers.ts';
import { type SprigOptions } from './options.ts';
import { pathFunctions } from './paths.ts';
import { randomFunctions } from './random.ts';
import { reflectionFunctions } from './reflection.ts';
import { regexFunctions } from './regex.ts';
import { semverFunctions } from './semver.ts';
import { stringFunctions } from './strings.ts';
import { urlFunctions } from './url.ts';

const { string } = codecs;

const systemFunctions = ({ environment = {}, resolveHost = () => '' }: SprigOptions): FunctionTable => {
  const variable = (name: string): string => (Object.hasOwn(environment, name) ? environment[name]! : '');
  return {
    env: fn([string], string, variable),
    expandenv: fn([string], string, (text) =>
      text.replace(/\$(?:\{([^}]*)\}|([A-Za-z0-9_]+))/g, (_, braced?: string, bare?: string) =>
        variable(braced ?? bare ?? ''),
      ),
    ),
    getHostByName: fn([string], string, resolveHost),
  };
};

const failFunction = fn([string], string, (message) => {
  throw new FunctionError(message);
});

const systemRandomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

/** The functions of sprig. */
export const sprigFunctions = (options: SprigOptions = {}): FunctionTable => {
  const randomBytes = options.randomBytes ?? systemRandomBytes;
  return {
    ...stringFunctions,
    ...numberFunctions,
    ...defaultFunctions,
    ...listFunctions,
    ...dictFunctions,
    ...reflectionFunctions,
    ...encodingFunctions,
    ...jsonFunctions,
    ...regexFunctions,
    ...pathFunctions,
    ...semverFunctions,
    ...urlFunctions,
    ...dateFunctions(options),
    ...cryptoFunctions(randomBytes),
    ...randomFunctions(randomBytes),
    ...systemFunctions(options),
    fail: failFunction,
  };
};
