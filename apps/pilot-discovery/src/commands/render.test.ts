import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createProgram, runProgram } from '@kedge/cli';
import { addRenderCommand } from './render.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'render-'))));
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function render(manifests: string): Promise<{ readonly code: number; readonly errors: string }> {
  writeFileSync(join(folder, 'a.yaml'), manifests);
  writeFileSync(
    join(folder, 'proxies'),
    'proxies: [{name: web, node: sidecar~10.0.0.1~web.shop~shop.svc.cluster.local}]',
  );
  const errors: string[] = [];
  const write = (text: string): void => void errors.push(text);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => (write(String(text)), true));
  const program = createProgram({ name: 'pilot-discovery', description: '' });
  addRenderCommand(program);
  const args = ['render', '-f', folder, '--proxies', join(folder, 'proxies'), '-o', join(folder, 'out')];
  return { code: await runProgram(program, args, write), errors: errors.join('') };
}

const entry = (name: string, hosts: string): string =>
  `apiVersion: networking.istio.io/v1\nkind: ServiceEntry\nmetadata: {name: ${name}, namespace: shop}\nspec: {hosts: ${hosts}, ports: [{number: 80, name: http, protocol: HTTP}]}\n`;

test('what is right is written, what is wrong is told with its place and by the exit code', async () => {
  const { code, errors } = await render(`${entry('good', '[good.example.com]')}---\n${entry('bad', '[]')}`);
  expect(code).toBe(1);
  expect(errors).toContain(`error ServiceEntry shop/bad spec.hosts: needs a host (${join(folder, 'a.yaml')}:9)`);
  expect(errors).toMatch(/\nError: what is wrong is left out of .+ \(errors: 1\)\n$/);
  expect(readFileSync(join(folder, 'out/web/cds.json'), 'utf8')).toContain('outbound|80||good.example.com');
});

test('without errors nothing is said', async () => {
  expect(await render(entry('good', '[good.example.com]'))).toEqual({ code: 0, errors: '' });
});
