import { expect, test } from '@jest/globals';
import { codecs, fn, TemplateError, toValue } from '@kedge/go-template';
import { TemplateCache } from './template-cache.ts';

const saying = (text: string) => ({ say: fn([], codecs.string, () => text) });

test('a template is rendered with the functions and the data of each time', () => {
  const cache = new TemplateCache({ HOME: '/home' });
  const source = '{{ define "x" }}{{ say }}{{ end }}{{ template "x" }} {{ .a }} {{ env "HOME" }}';
  const render = (text: string, a: string) => cache.render('t', source, saying(text), toValue({ a }));
  expect([render('one', '1'), render('two', '2'), render('one', '3')]).toEqual([
    'one 1 /home',
    'two 2 /home',
    'one 3 /home',
  ]);
});

test('templates of the same name, and of the same text, are kept apart', () => {
  const cache = new TemplateCache(undefined);
  const render = (name: string, source: string) => cache.render(name, source, {}, toValue({}));
  expect(render('a', 'x')).toBe('x');
  expect(render('a', 'y')).toBe('y');
  expect(() => render('b', '{{ fail }}')).toThrow(TemplateError);
  expect(() => render('c', '{{ index .x 1 }}')).toThrow(/^template: c:1:/);
  expect(() => render('d', '{{ index .x 1 }}')).toThrow(/^template: d:1:/);
});

test('values are looked at once, mesh config too', () => {
  const cache = new TemplateCache(undefined);
  const [values, mesh] = [{ global: { hub: '', tag: '', proxy: {} } }, { trustDomain: 'td' }];
  expect(cache.valuesView(values)).toBe(cache.valuesView(values));
  expect(cache.valuesView({ ...values })).not.toBe(cache.valuesView(values));
  expect(cache.meshView(mesh)).toBe(cache.meshView(mesh));
});
