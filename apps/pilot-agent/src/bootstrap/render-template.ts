import { codecs, fn, fromValue, sprigFunctions, TemplateSet, toValue } from '@kedge/go-template';

/** Such as Istio's own templates call. */
const functions = {
  toJSON: fn([codecs.any], codecs.string, (value) => JSON.stringify(fromValue(value) ?? {})),
};

/**
 * A bootstrap out of a Go template with Sprig's functions.
 * @throws Error naming the place in the template that is wrong.
 */
export function renderTemplate(path: string, text: string, parameters: Readonly<Record<string, unknown>>): string {
  const templates = new TemplateSet({ name: path, functions: { ...sprigFunctions(), ...functions } });
  return templates.prepare(path, text)(toValue(withIntegers(parameters)));
}

/** Whole numbers are integers for a template, which would show large ones of another kind with an exponent. */
function withIntegers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withIntegers(member)]));
}
