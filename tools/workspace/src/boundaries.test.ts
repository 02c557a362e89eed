import { describe, expect, test } from '@jest/globals';
import { ESLint } from 'eslint';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const root = fileURLToPath(new URL('../../../', import.meta.url));
// The files of these tests do not exist, so the rules that need types are off.
const eslint = new ESLint({ cwd: root, overrideConfig: tseslint.configs.disableTypeChecked });

/** The messages of the layer rule for one line of code as if it stood in `file`. */
async function violations(file: string, code: string): Promise<readonly string[]> {
  const results = await eslint.lintText(code, { filePath: `${root}${file}` });
  return results
    .flatMap((result) => result.messages)
    .filter((message) => message.ruleId === '@nx/enforce-module-boundaries')
    .map((message) => message.message);
}

const importing = (name: string): string => `import * as target from '${name}';\nexport const used = target;\n`;

describe('the layer rule', () => {
  test.each([
    ['libs/registry/src/virtual.ts', '@kedge/model', 'a lower layer'],
    ['libs/registry/src/virtual.ts', '@kedge/config', 'a library that opens itself to its own layer'],
    ['libs/xds-core/src/virtual.ts', '@kedge/grpc-server', 'layer 1'],
    ['apps/pilot-discovery/src/virtual.ts', '@kedge/networking', 'an app on a library'],
    ['tools/conformance/src/virtual.ts', '@kedge/pilot-discovery', 'a tool on an app'],
  ])('%s may import %s (%s)', async (file, target) => {
    expect(await violations(file, importing(target))).toEqual([]);
  });

  test.each([
    ['libs/model/src/virtual.ts', '@kedge/config', 'upwards'],
    ['libs/incremental/src/virtual.ts', '@kedge/observability', 'sideways'],
    ['libs/config/src/virtual.ts', '@kedge/registry', 'sideways, against the declared need'],
    ['libs/xds-core/src/virtual.ts', '@kedge/model', 'the protocol on the domain'],
    ['libs/networking/src/virtual.ts', '@kedge/xds-core', 'generation on the protocol'],
    ['apps/pilot-agent/src/virtual.ts', '@kedge/pilot-discovery', 'an app on an app'],
    ['libs/model/src/virtual.ts', '@kedge/pilot-discovery', 'a library on an app'],
    ['tools/bench/src/virtual.ts', '@kedge/demo', 'a tool on a tool'],
    ['libs/networking/src/virtual.ts', '../../model/src/index.ts', 'by path instead of by name'],
    ['libs/networking/src/virtual.ts', '../../pushcontext/src/index.ts', 'by path instead of by name'],
    ['libs/model/src/virtual.ts', 'express', 'a package that is not declared'],
  ])('%s may not import %s (%s)', async (file, target) => {
    expect(await violations(file, importing(target))).toHaveLength(1);
  });
});
