import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

interface NxGraph {
  readonly nodes: Readonly<
    Record<string, { readonly data: { readonly tags?: readonly string[]; readonly root: string } }>
  >;
  readonly dependencies: Readonly<Record<string, readonly { readonly target: string }[]>>;
}

function readGraph(): NxGraph {
  const folder = mkdtempSync(join(tmpdir(), 'project-graph-'));
  try {
    const file = join(folder, 'graph.json');
    execFileSync(process.execPath, [join(root, 'node_modules/nx/dist/bin/nx.js'), 'graph', `--file=${file}`], {
      cwd: root,
      stdio: 'pipe',
    });
    return (JSON.parse(readFileSync(file, 'utf8')) as { readonly graph: NxGraph }).graph;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// A compiler that Nx cannot drive gives a graph without edges, and then neither the layer rule nor `nx affected` sees anything.
describe('the Nx project graph', () => {
  let graph: NxGraph;
  beforeAll(() => {
    graph = readGraph();
  });

  const layer = (project: string): number =>
    Number(graph.nodes[project]?.data.tags?.find((tag) => tag.startsWith('layer:'))?.slice('layer:'.length));
  const targets = (project: string): readonly string[] =>
    (graph.dependencies[project] ?? []).map((edge) => edge.target).filter((target) => target in graph.nodes);

  test.each([
    ['@kedge/pilot-discovery', '@kedge/xds-core'],
    ['@kedge/pilot-discovery', '@kedge/networking'],
    ['@kedge/pilot-agent', '@kedge/envoy-api'],
    ['@kedge/networking', '@kedge/pushcontext'],
    ['@kedge/pushcontext', '@kedge/model'],
    ['@kedge/registry', '@kedge/config'],
    ['@kedge/xds-core', '@kedge/incremental'],
  ])('%s depends on %s', (source, target) => {
    expect(targets(source)).toContain(target);
  });

  test('every app, library and tool has a layer', () => {
    const without = Object.keys(graph.nodes).filter(
      (name) => graph.nodes[name]?.data.root !== '.' && !(layer(name) >= 1 && layer(name) <= 8),
    );
    expect(without).toEqual([]);
  });

  test('no edge goes upwards', () => {
    const upwards = Object.keys(graph.nodes).flatMap((source) =>
      targets(source)
        .filter((target) => layer(target) > layer(source))
        .map((target) => `${source} -> ${target}`),
    );
    expect(upwards).toEqual([]);
  });
});
