import { describe, expect, test } from '@jest/globals';
import { readYaml } from './yaml-documents.ts';

const values = (text: string) => readYaml(text).objects.map((object) => object.value);

describe('readYaml', () => {
  test('gives the documents of a file, without the empty ones', () => {
    expect(values('# nothing\n---\na: 1\n---\n\n--- # a comment\nb: 2\n---\n')).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test.each(['', '---', '# comment', '\uFEFF', '%YAML 1.2\n---\n'])('%j has no objects and no errors', (text) => {
    expect(readYaml(text)).toEqual({ objects: [], diagnostics: [] });
  });

  test('reads JSON', () => {
    expect(values('{"a": [1, "x", null]}')).toEqual([{ a: [1, 'x', null] }]);
  });

  test('an error costs only its own document', () => {
    const { objects, diagnostics } = readYaml('a: "open\n---\nb: 1\n---\nc: 1\nc: 2\n---\nd: *nowhere\n', 'f.yaml');
    expect(objects.map((object) => object.value)).toEqual([{ b: 1 }]);
    expect(diagnostics).toMatchObject([
      { severity: 'error', code: 'yaml-syntax', file: 'f.yaml', line: 2 },
      { code: 'yaml-syntax', line: 6 },
      { code: 'yaml-syntax', line: 7 },
    ]);
  });

  test('lists give their items', () => {
    const [first, second] = readYaml('apiVersion: v1\nkind: List\nitems:\n- a: 1\n- a: 2\n').objects;
    expect([first?.value, second?.value]).toEqual([{ a: 1 }, { a: 2 }]);
    expect([first?.lineOf(['a']), second?.lineOf(['a'])]).toEqual([4, 5]);
  });

  test('lines are those of the file, whatever the spelling of the field', () => {
    const text = 'x: 1\n---\nspec:\n  tls_mode:\n  - a: 1\n    b:\n      c: 2\n';
    const object = readYaml(text).objects[1];
    expect(object?.lineOf(['spec', 'tlsMode', 0, 'b', 'c'])).toBe(7);
    expect(object?.lineOf(['spec', 'tlsMode', 0, 'b', 'absent'])).toBe(6);
    expect(object?.lineOf(['spec', 'tlsMode', 3])).toBe(4);
    expect(object?.lineOf([])).toBe(3);
  });

  test('understands what YAML 1.1 readers do', () => {
    expect(values('{a: yes, b: Off, c: "yes", d: n}')).toEqual([{ a: true, b: false, c: 'yes', d: false }]);
    expect(values('a: [10.0.0.1, 2001:db8::, 2001:db8::1]')).toEqual([
      { a: ['10.0.0.1', '2001:db8::', '2001:db8::1'] },
    ]);
    expect(values('base: &b {x: 1}\nmore: {<<: *b, z: 2}')).toEqual([{ base: { x: 1 }, more: { x: 1, z: 2 } }]);
  });

  test('an alias bomb is an error', () => {
    const bomb = Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1}, *a${i - 1}` : 'x'}]`).join(
      '\n',
    );
    expect(readYaml(bomb).diagnostics).toMatchObject([{ code: 'yaml-syntax' }]);
  });
});
