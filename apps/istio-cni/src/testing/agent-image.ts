import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeImage } from '@kedge/testbed';
import { buildPlugin, pluginFolder } from './built-plugin.ts';
import { TemporaryFolder } from './temporary-folder.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Paths in the image. */
export const image = {
  reference: 'test.local/istio-cni:test',
  node: '/usr/bin/node',
  pilotAgent: '/apps/pilot-agent/main.mjs',
} as const;

/** What the agent runs when it mends a pod. */
const programs = ['nsenter', 'ip', 'iptables-nft', 'iptables-legacy', 'iptables-nft-restore', 'iptables-nft-save'];

/** Builds the agent, the plugin and `pilot-agent` as they are, and writes an image of them and of what they need. */
export function buildAgentImage(archive: string): void {
  using folder = new TemporaryFolder({ 'tmp/.keep': '', 'proc/.keep': '', 'run/.keep': '' });
  const put = (path: string, to = path) => cpSync(realpathSync(path), folder.at(`.${to}`), { recursive: true });
  for (const app of ['istio-cni', 'pilot-agent']) {
    execFileSync(process.execPath, ['tools/workspace/src/build.ts', `apps/${app}`], { cwd: root });
    put(join(root, 'out/apps', app, 'main.mjs'), `/apps/${app}/main.mjs`);
  }
  folder.write('usr/local/bin/install-cni', `#!${image.node}\nimport '/apps/istio-cni/main.mjs';\n`, 0o755);
  buildPlugin();
  put(pluginFolder, '/opt/cni/bin');
  put(process.execPath, image.node);
  const paths = programs.map((name) => execFileSync('which', [name], { encoding: 'utf8' }).trim());
  for (const path of paths) put(path);
  const libraries = new Set([process.execPath, ...paths].flatMap(librariesOf));
  for (const library of libraries) put(library);
  // iptables loads its extensions from beside its library.
  const ofIptables = [...libraries].find((path) => path.includes('/libxtables.so'))!;
  put(join(dirname(realpathSync(ofIptables)), 'xtables'));
  mkdirSync(dirname(archive), { recursive: true });
  writeImage({ reference: image.reference, root: folder.path }, archive);
}

function librariesOf(program: string): readonly string[] {
  return execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+\.so[^\s)]*/g) ?? [];
}
