import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sprigFunctions } from '../sprig/index.ts';
import { toValue } from '../value/convert.ts';
import { codecs, fn, variadic } from '../value/function.ts';
import { namedType } from '../value/type.ts';
import { GoStruct } from '../value/value.ts';
import { FunctionError, TemplateError } from './template-error.ts';
import { TemplateSet } from './template-set.ts';

const render = (text: string, data: unknown = {}): string => new TemplateSet().prepare('t', text)(toValue(data));

const errorOf = (action: () => unknown): TemplateError => {
  try {
    action();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error('There was no error.');
};

describe('a set of templates', () => {
  test('templates call those that were parsed before and after', () => {
    const set = new TemplateSet().parse('a', '{{ template "b" .x }}!').parse('b', '<{{ . }}>');
    expect(set.execute('a', toValue({ x: 1 }))).toBe('<1>!');
  });

  test('an empty template does not take the place of another', () => {
    const set = new TemplateSet().parse('a', '{{ define "b" }}full{{ end }}').parse('c', '{{ define "b" }} {{ end }}');
    expect(set.execute('b', null)).toBe('full');
    expect(set.templateNames).toEqual(['b', 'a', 'c']);
  });

  test('a clone keeps what is added to it', () => {
    const set = new TemplateSet().parse('a', 'old');
    set.clone().parse('a', 'new');
    expect(set.execute('a', null)).toBe('old');
  });

  test('a template that is not there', () => {
    expect(() => new TemplateSet({ name: 'set' }).execute('x', null)).toThrow(
      'template: no template "x" associated with template "set"',
    );
  });
});

describe("functions of one's own", () => {
  const { any, int, string } = codecs;
  const functions = {
    twice: fn([string], string, (text) => text + text),
    count: variadic([int], any, string, (first, others) => `${first}+${others.length}`),
    refuse: fn([], string, () => {
      throw new FunctionError('no');
    }),
  };
  const own = (text: string): string => new TemplateSet({ functions }).prepare('t', text)(toValue({ n: 1.5 }));

  test('arguments are checked against their types', () => {
    expect(own('{{ twice "a" | twice }} {{ count 1 2 "x" }}')).toBe('aaaa 1+2');
    expect(() => own('{{ twice .n }}')).toThrow('at <.n>: wrong type for value; expected string; got float64');
    expect(() => own('{{ twice 1 }}')).toThrow('at <1>: expected string; found 1');
    expect(() => own('{{ count }}')).toThrow('wrong number of args for count: want at least 1 got 0');
  });

  test('an error of a function has the place of its call', () => {
    const error = errorOf(() => own('x\n  {{ refuse }}'));
    expect(error.message).toBe('template: t:2:5: executing "t" at <refuse>: error calling refuse: no');
    expect([error.template, error.line, error.column]).toEqual(['t', 2, 5]);
  });

  test('a struct has fields and methods, and a function can be a value', () => {
    const pod = new GoStruct(
      namedType('*test.Pod', 'ptr'),
      { Name: 'web', Add: fn([int, int], int, (a, b) => a + b) },
      { Label: ({ fields }) => fn([string], string, (key) => `${key}=${String(fields.get('Name'))}`) },
    );
    expect(new TemplateSet().prepare('t', '{{ .Name }} {{ .Label "app" }} {{ call .Add 1 2 }}')(pod)).toBe(
      'web app=web 3',
    );
    expect(() => new TemplateSet().prepare('t', '{{ .Nope }}')(pod)).toThrow(
      "can't evaluate field Nope in type *test.Pod",
    );
  });
});

test('the keys of data are nothing but data', () => {
  const data = JSON.parse('{"__proto__": {"polluted": 1}, "constructor": 2}') as unknown;
  expect(render('{{ .constructor }} {{ .toString }} {{ index . "__proto__" }}', data)).toBe(
    '2 <no value> map[polluted:1]',
  );
  const set = new TemplateSet({ functions: sprigFunctions() });
  expect(set.prepare('t', '{{ $d := set (dict) "__proto__" 1 }}{{ $d }}')(toValue({}))).toBe('map[__proto__:1]');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('deep recursion is an error of the template', () => {
  expect(() => render('{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}')).toThrow(
    'executing "x" at <{{template "x"}}>: exceeded maximum template depth (100000)',
  );
  expect(() =>
    render('{{ define "x" }}{{ range 1 }}{{ with 1 }}{{ template "x" }}{{ end }}{{ end }}{{ end }}{{ template "x" }}'),
  ).toThrow('exceeded maximum template depth (100000)');
  expect(() => render(`{{ ${'('.repeat(20_000)} }}`)).toThrow('max expression depth exceeded');
});

test('any text is a template or a TemplateError', () => {
  const pieces = [
    '{{',
    '}}',
    '{{-',
    '-}}',
    'if ',
    'range ',
    'end',
    'else',
    '.a',
    '$x',
    ' := ',
    '|',
    '(',
    ')',
    '"s"',
    '1',
    'print ',
    ',',
    '/*',
    '*/',
    'é',
    '\n',
    '`',
  ];
  const texts = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      try {
        render(text, { a: [1, { b: 'c' }] });
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError);
      }
    }),
    { numRuns: 2000 },
  );
});
