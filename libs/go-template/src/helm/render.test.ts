import { describe, expect, test } from '@jest/globals';
import { type Chart } from './chart.ts';
import { coalesceValues } from './coalesce.ts';
import { renderChart, type ChartOptions } from './render.ts';

const options: ChartOptions = {
  release: { name: 'rel', namespace: 'ns' },
  capabilities: { kubeVersion: 'v1.31.2', apiVersions: ['v1'] },
};

const chart = (name: string, templates: Record<string, string>, more: Partial<Chart> = {}): Chart => ({
  metadata: { name, version: '1.0.0' },
  templates: new Map(Object.entries(templates)),
  ...more,
});

const only = (template: string, values = {}, more: Partial<ChartOptions> = {}): string | undefined =>
  renderChart(chart('c', { 'templates/a.yaml': template }), values, { ...options, ...more }).get('c/templates/a.yaml');

describe('charts that depend on others', () => {
  const child = chart(
    'child',
    { 'templates/x.yaml': '{{ .Values.color }} {{ .Values.global.zone }} {{ .Chart.Name }} {{ include "name" . }}' },
    { values: { color: 'red', size: 1 } },
  );
  const parent = chart(
    'parent',
    {
      'templates/y.yaml': '{{ .Values.child.size }} {{ .Subcharts.child.Chart.Name }}',
      'templates/_h.tpl': '{{ define "name" }}of {{ .Chart.Name }}{{ end }}',
    },
    { dependencies: [child], values: { global: { zone: 'z' }, child: { color: 'blue' } } },
  );

  test('a dependency sees its own values, overridden by its parent, and the global ones', () => {
    expect(Object.fromEntries(renderChart(parent, {}, options))).toEqual({
      'parent/charts/child/templates/x.yaml': 'blue z child of child',
      'parent/templates/y.yaml': '1 child',
    });
  });

  test('null takes a default away', () => {
    expect(coalesceValues(parent, { child: { size: null } })).toEqual({
      global: { zone: 'z' },
      child: { color: 'blue', global: { zone: 'z' } },
    });
  });

  test('of a library only the definitions are used', () => {
    const library = chart(
      'lib',
      { 'templates/_d.tpl': '{{ define "d" }}D{{ end }}', 'templates/no.yaml': 'x' },
      { metadata: { name: 'lib', type: 'library' } },
    );
    const user = chart('user', { 'templates/u.yaml': '{{ include "d" . }}' }, { dependencies: [library] });
    expect([...renderChart(user, {}, options)]).toEqual([['user/templates/u.yaml', 'D']]);
  });
});

test('rendering leaves the given values as they were', () => {
  const values = { a: { b: 1 } };
  expect(only('{{ $_ := set .Values.a "b" 2 }}{{ .Values.a.b }}', values)).toBe('2');
  expect(values).toEqual({ a: { b: 1 } });
});

test('lookup asks what it is given', () => {
  const lookup = (...asked: readonly string[]): unknown => ({ data: { asked: asked.join('/') } });
  expect(only('{{ (lookup "v1" "Secret" "ns" "x").data.asked }}', {}, { lookup })).toBe('v1/Secret/ns/x');
});

test('the clock is the given one', () => {
  const now = (): number => Date.UTC(2024, 1, 29, 12, 30);
  expect(
    only(
      '{{ now | date "2006-01-02 15:04" }} {{ ago (now | dateModify "-90s") }} {{ dateInZone "15:04" now "Europe/Paris" }}',
      {},
      { now },
    ),
  ).toBe('2024-02-29 12:30 1m30s 13:30');
  expect(only('{{ date "15:04 -0700" 0 }}', {}, { timeZone: 'America/New_York' })).toBe('19:00 -0500');
});

test('what is not supported says so', () => {
  expect(() => only('{{ genCA "x" 365 }}')).toThrow('error calling genCA: genCA is not supported');
});
