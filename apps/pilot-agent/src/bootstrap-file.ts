import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EffectiveProxyConfig } from '@kedge/model';
import type { Logger } from '@kedge/observability';
import { parse } from 'yaml';
import { type BootstrapOptions, buildBootstrap, optionalExtensions } from './bootstrap/bootstrap.ts';
import type { AgentBootstrap } from './bootstrap/messages.ts';
import { templateParameters } from './bootstrap/template-parameters.ts';
import { lightstepToken } from './bootstrap/tracing.ts';
import { missingExtensions } from './envoy/extension-probe.ts';

/** The file that Envoy starts from; it is removed when disposed of, if the agent wrote it. */
export interface BootstrapFile extends AsyncDisposable {
  readonly path: string;
}

/** Writes the bootstrap of a proxy, without extensions that its Envoy lacks. A file of the user's own is used as it is. */
export async function prepareBootstrap(
  config: EffectiveProxyConfig,
  options: Omit<BootstrapOptions, 'missingExtensions'>,
  template: string,
  log: Logger,
): Promise<BootstrapFile> {
  if (config.customConfigFile) return { path: config.customConfigFile, [Symbol.asyncDispose]: async () => undefined };
  const complete = { ...options, missingExtensions: new Set<string>() };
  const missing = await missingExtensions(config.binaryPath, optionalExtensions(complete));
  if (missing.size > 0) log.info(`this Envoy lacks extensions, which are left out: ${[...missing].join(', ')}`);
  const known = { ...options, missingExtensions: missing };
  const { bootstrap, warnings } = buildBootstrap(known);
  for (const warning of warnings) log.warn(warning);
  const { text, suffix } = template
    ? await fromTemplate(template, { ...known, proxyConfig: config }, bootstrap)
    : { text: JSON.stringify(bootstrap, undefined, 2), suffix: 'json' };
  const path = join(config.configPath, `envoy-rev.${suffix}`);
  await mkdir(config.configPath, { recursive: true, mode: 0o700 });
  await writeFile(path, text);
  const token = lightstepToken(config);
  if (token) await writeFile(token.path, token.content, { mode: 0o600 });
  return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
}

/** Envoy tells YAML from JSON by the name of the file. */
async function fromTemplate(
  path: string,
  options: Parameters<typeof templateParameters>[0],
  bootstrap: AgentBootstrap,
): Promise<{ readonly text: string; readonly suffix: string }> {
  // Few proxies have templates; the others don't load what renders them.
  const { renderTemplate } = await import('./bootstrap/render-template.ts');
  const text = renderTemplate(path, await readFile(path, 'utf8'), templateParameters(options, bootstrap));
  return { text, suffix: /\.yaml(\.tmpl)?$/.test(path) ? 'yaml' : 'json' };
}

/** A bootstrap in YAML or JSON that is merged over the agent's, as JSON; `$(HOST_IP)` in it is the address of the node. */
export async function readOverride(path: string, hostIp: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  const host = hostIp.includes(':') ? `[${hostIp}]` : hostIp;
  const expanded = text.replaceAll('[$(HOST_IP)]', host).replaceAll('$(HOST_IP)', host);
  return JSON.stringify(parse(expanded));
}
