import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { WatchedFile, type ParsedFile } from './watched-file.ts';

function parse(text: string, file: string): ParsedFile<number> {
  const value = Number(text);
  const object = { kind: '', namespace: '', name: '', field: '' };
  const diagnostics = Number.isNaN(value)
    ? [{ ...object, severity: 'error' as const, code: 'no-number', message: text, file }]
    : [];
  return { value, diagnostics };
}

test('the last good value stays in effect while the file is broken or gone', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watched-'));
  const path = join(folder, 'mesh.yaml');
  const rename = (text: string): void => {
    writeFileSync(join(folder, 'next'), text);
    renameSync(join(folder, 'next'), path);
  };
  const file = new WatchedFile(path, parse, 1);
  const states: string[] = [];
  file.subscribe(({ value, diagnostics }) => states.push([value, ...diagnostics.map(({ code }) => code)].join(' ')));
  const next = async (act: () => void): Promise<void> => {
    const before = states.length;
    act();
    while (states.length === before) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  expect([file.value, file.diagnostics[0]?.code]).toEqual([1, 'unreadable-file']);
  await next(() => rename('2'));
  await next(() => rename('two'));
  await next(() => rename('3'));
  await next(() => rmSync(path));
  expect(states).toEqual(['2', '2 no-number', '3', '3 unreadable-file']);
  file[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});
