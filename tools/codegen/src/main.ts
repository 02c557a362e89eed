import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describeFiles } from './descriptors.ts';
import type { ProtoFile } from './descriptors.ts';
import { typeModules } from './types.ts';

// Makes libs/envoy-api/generated from proto/: the descriptors of the whole tree, and a TypeScript type for each message.
// Does nothing when neither the tree nor this tool changed since the last run.

const workspace = join(import.meta.dirname, '../../..');
const output = join(workspace, 'libs/envoy-api/generated');

const files = readTree(join(workspace, 'proto'), '**/*.proto');
const stamp = digest([...files, ...readTree(import.meta.dirname, '*.ts')]);
if (readStamp() !== stamp) generate(files);

function readTree(root: string, pattern: string): readonly ProtoFile[] {
  return globSync(pattern, { cwd: root })
    .sort()
    .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));
}

function digest(sources: readonly ProtoFile[]): string {
  const hash = createHash('sha256');
  for (const { name, text } of sources) hash.update(name).update('\0').update(text).update('\0');
  return hash.digest('hex');
}

function readStamp(): string | undefined {
  try {
    return readFileSync(join(output, '.stamp'), 'utf8');
  } catch {
    return undefined;
  }
}

function generate(tree: readonly ProtoFile[]): void {
  const started = performance.now();
  const descriptors = describeFiles(tree);
  const types = typeModules(descriptors);
  // Put in place as a whole, so that nobody reads a half.
  const draft = `${output}.${process.pid}`;
  mkdirSync(join(draft, 'types'), { recursive: true });
  for (const [name, text] of types) writeFileSync(join(draft, 'types', name), text);
  writeFileSync(join(draft, 'descriptors.ts'), descriptorModule({ file: descriptors }));
  writeFileSync(join(draft, '.stamp'), stamp);
  rmSync(output, { recursive: true, force: true });
  renameSync(draft, output);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`libs/envoy-api/generated: ${tree.length} files, ${types.size - 1} packages, ${seconds} s`);
}

/** A module that costs next to nothing to load: the descriptors are inflated and parsed at first use only. */
function descriptorModule(set: { readonly file: readonly unknown[] }): string {
  const packed = deflateRawSync(JSON.stringify(set), { level: 9 }).toString('base64');
  return [
    '/** google.protobuf.FileDescriptorSet in protobuf JSON, deflated (raw), in base64. */',
    `export const packedDescriptors = '${packed}';`,
    '',
  ].join('\n');
}
