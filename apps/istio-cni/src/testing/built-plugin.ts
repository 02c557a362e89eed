import { execFileSync, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** With what it starts beside it, as in the image. */
export const pluginFolder = `${root}out/apps/istio-cni/bin`;
export const pluginFile = `${pluginFolder}/istio-cni`;

/** Builds the executable from the sources as they are. */
export function buildPlugin(): void {
  const build = ['tools/workspace/src/executable.ts', 'apps/istio-cni', 'plugin-main.ts', 'istio-cni'];
  execFileSync(process.execPath, build, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

export interface PluginCall {
  readonly command: string;
  readonly netns?: string;
  readonly pod?: string;
  readonly config: object;
  readonly file?: string;
}

/** Calls the plugin as a container runtime does. */
export async function callPlugin({ command, netns = '', pod = 'web-1', config, file = pluginFile }: PluginCall) {
  const start = performance.now();
  const child = spawn(file, [], {
    env: {
      PATH: process.env.PATH,
      CNI_COMMAND: command,
      CNI_CONTAINERID: 'abc123',
      CNI_NETNS: netns,
      CNI_IFNAME: 'eth0',
      CNI_PATH: '/opt/cni/bin',
      CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=${pod};K8S_POD_INFRA_CONTAINER_ID=abc123`,
    },
  });
  child.stdin.end(JSON.stringify(config));
  const closed = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return {
    code,
    stderr,
    output: stdout === '' ? undefined : (JSON.parse(stdout) as Readonly<Record<string, unknown>>),
    milliseconds: Math.round(performance.now() - start),
  };
}
