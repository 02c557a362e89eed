import { describe, expect, test } from '@jest/globals';
import { defaultCapabilities } from './capabilities.ts';
import type { Values } from './chart.ts';
import { loadChart } from './load-chart.ts';
import { manifestObjects } from './manifest-objects.ts';
import { renderChart } from './render-chart.ts';

const files = (entries: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(entries));

const render = (entries: Readonly<Record<string, string>>, values: Values = {}): Readonly<Record<string, string>> => {
  const release = { name: 'rel', namespace: 'ns' };
  const rendered = renderChart(loadChart(files(entries)), release, values, defaultCapabilities('v1.32.0'));
  return Object.fromEntries(rendered.map(({ file, text }) => [file, text]));
};

const chartFile = (name: string, more = ''): string => `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n${more}`;

describe('the folder of a chart', () => {
  test('becomes templates, files and dependencies', () => {
    const chart = loadChart(
      files({
        'Chart.yaml': chartFile('app'),
        'values.yaml': 'on: yes',
        'files/a.txt': 'A',
        'templates/a.yaml': 'a',
        'charts/db/Chart.yaml': chartFile('db'),
        'charts/db/templates/b.yaml': 'b',
        'charts/_old/Chart.yaml': chartFile('old'),
      }),
    );
    expect(chart.metadata.name).toBe('app');
    expect(chart.values).toEqual({ true: true });
    expect([...chart.files!.keys()]).toEqual(['files/a.txt']);
    expect([...chart.templates.keys()]).toEqual(['templates/a.yaml']);
    expect(chart.dependencies?.map(({ metadata }) => metadata.name)).toEqual(['db']);
  });

  test.each([
    [{}, 'Chart.yaml file is missing'],
    [{ 'Chart.yaml': 'version: 1' }, 'chart.metadata.name is required'],
    [{ 'Chart.yaml': chartFile('x'), 'values.yaml': '- 1' }, 'values.yaml: is not a map'],
    [{ 'Chart.yaml': chartFile('x'), 'values.schema.json': '{' }, 'values.schema.json: '],
    [{ 'Chart.yaml': chartFile('x'), 'charts/y-1.0.0.tgz': '' }, 'charts/y-1.0.0.tgz: unpack this archive'],
    [{ 'Chart.yaml': chartFile('x'), 'charts/y/values.yaml': '' }, 'y: Chart.yaml file is missing'],
  ])('%j is refused', (entries, message) => {
    expect(() => loadChart(files(entries as Record<string, string>))).toThrow(message);
  });
});

describe('values', () => {
  test('what is given lies over the defaults, map by map; null takes a default away', () => {
    const entries = {
      'Chart.yaml': chartFile('app'),
      'values.yaml': 'a: {b: 1, c: 2}\nd: [1, 2]\n',
      'templates/v.yaml': '{{ toJson .Values }}',
    };
    expect(render(entries, { a: { b: null, e: 3 }, d: [4] })['templates/v.yaml']).toBe('{"a":{"c":2,"e":3},"d":[4]}');
  });

  test('a schema lists all that is wrong, by path', () => {
    const entries = {
      'Chart.yaml': chartFile('app'),
      'values.schema.json': JSON.stringify({
        $schema: 'http://json-schema.org/schema#',
        type: 'object',
        additionalProperties: false,
        properties: { port: { type: 'integer' }, service: { type: 'object', properties: { type: { enum: ['A'] } } } },
      }),
    };
    expect(render(entries, { port: 1 })).toEqual({});
    expect(() => render(entries, { port: 'x', service: { type: 'B' }, wrong: 1 })).toThrow(
      [
        "values don't meet the specifications of the schema(s) in the following chart(s):",
        'app:',
        '- (root): must NOT have additional properties (wrong)',
        '- port: must be integer',
        '- service.type: must be equal to one of the allowed values',
      ].join('\n'),
    );
  });
});

describe('dependencies', () => {
  const db = {
    'charts/db/Chart.yaml': chartFile('db'),
    'charts/db/templates/d.yaml': '{{ .Chart.Name }}: {{ .Values.size }}',
  };
  const app = (dependency: string): Readonly<Record<string, string>> => ({
    'Chart.yaml': chartFile('app', `dependencies:\n- {name: db, version: 0.1.0${dependency}}\n`),
    ...db,
  });

  test.each([
    ['', {}, ['charts/db/templates/d.yaml']],
    [', condition: db.enabled', {}, ['charts/db/templates/d.yaml']],
    [', condition: db.enabled', { db: { enabled: false } }, []],
    [', condition: "db.on,db.enabled"', { db: { enabled: false, on: true } }, ['charts/db/templates/d.yaml']],
    [', tags: [back]', { tags: { back: false } }, []],
    [', tags: [back, data]', { tags: { back: false, data: true } }, ['charts/db/templates/d.yaml']],
    [', tags: [back], condition: db.enabled', { tags: { back: true }, db: { enabled: false } }, []],
  ])('%s with %j gives %j', (dependency, values, expected) => {
    expect(Object.keys(render(app(dependency), values))).toEqual(expected);
  });

  test('an alias names the chart, its values and its files', () => {
    expect(render(app(', alias: store'), { store: { size: 3 } })).toEqual({
      'charts/store/templates/d.yaml': 'store: 3',
    });
  });

  test('one that is not there is an error', () => {
    expect(() => render({ 'Chart.yaml': chartFile('app', 'dependencies: [{name: gone, version: 1}]') })).toThrow(
      'missing in charts/ directory: gone',
    );
  });
});

test('objects are the documents of all files but the notes', () => {
  const rendered = [
    { file: 'templates/NOTES.txt', text: 'Well done: everything' },
    {
      file: 'templates/a.yaml',
      text: '# only a comment\n---\nkind: A\n--- # again\n\nkind: B\ntext: |\n  ---\n  end\n',
    },
  ];
  expect(manifestObjects(rendered)).toEqual([{ kind: 'A' }, { kind: 'B', text: '---\nend' }]);
  expect(() => manifestObjects([{ file: 'templates/b.yaml', text: 'no object' }])).toThrow(
    'templates/b.yaml: is no object',
  );
});
