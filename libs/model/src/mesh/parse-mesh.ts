import type { Diagnostic } from '../diagnostic.ts';
import { type SchemaResult, readSchema } from '../parse/findings.ts';
import { Reporter } from '../parse/reporter.ts';
import { readYaml } from '../parse/yaml-documents.ts';
import { Issues } from '../validation/issues.ts';
import { validateMeshNetworks } from '../validation/mesh-networks.ts';
import { type EffectiveMeshConfig, defaultMeshConfig } from './defaults.ts';
import type { ExtensionProvider } from './extension-provider.ts';
import { mergeProxyConfig } from './merge-proxy-config.ts';
import { DefaultProviders, MeshConfig } from './mesh-config.ts';
import { MeshNetworks } from './mesh-networks.ts';
import { givenField, overlay } from './overlay.ts';

export interface ParsedMeshConfig {
  /** The base, unchanged, when the text has errors. */
  readonly mesh: EffectiveMeshConfig;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ParsedMeshNetworks {
  /** Without any network when the text has errors. */
  readonly networks: MeshNetworks;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads a MeshConfig in YAML and lays it over a base, the built-in defaults where none is given. Never throws. */
export function parseMeshConfig(text: string, file?: string, base = defaultMeshConfig): ParsedMeshConfig {
  const { value, diagnostics } = readMeshFile('MeshConfig', text, file, (object) => mergeMeshConfig(base, object));
  return { mesh: value ?? base, diagnostics };
}

/** Reads the networks of a mesh in YAML. Never throws. */
export function parseMeshNetworks(text: string, file?: string): ParsedMeshNetworks {
  const { value, diagnostics } = readMeshFile('MeshNetworks', text, file, readNetworks);
  return { networks: value ?? { networks: {} }, diagnostics };
}

/**
 * Lays a MeshConfig over a base. Fields replace those of the base, with these exceptions: `defaultConfig` and
 * `defaultProviders` are merged by field, `extensionProviders` by name, and trust domain aliases add up.
 */
function mergeMeshConfig(base: EffectiveMeshConfig, object: unknown): SchemaResult<EffectiveMeshConfig> {
  const merged = overlay<MeshConfig>(MeshConfig, base, object);
  if (merged.findings.length > 0) return { findings: merged.findings, unknown: merged.unknown };
  const given = (name: keyof MeshConfig) => givenField(object, name, MeshConfig) ?? {};
  const value = {
    ...merged.value,
    defaultConfig: mergeProxyConfig(base.defaultConfig, given('defaultConfig')).value,
    defaultProviders: overlay(DefaultProviders, base.defaultProviders, given('defaultProviders')).value,
    extensionProviders: mergeByName(base.extensionProviders, merged.value.extensionProviders),
    trustDomainAliases: [...new Set([...base.trustDomainAliases, ...merged.value.trustDomainAliases])].sort(),
  };
  // The overlay keeps every field of the base, so what the base has is there.
  return { ...merged, value: value as EffectiveMeshConfig };
}

function readNetworks(object: unknown): SchemaResult<MeshNetworks> {
  const read = readSchema(MeshNetworks, object);
  const { value } = read;
  const findings = value ? Issues.collect([], (issues) => validateMeshNetworks(issues, value)) : [];
  return findings.length > 0 ? { findings, unknown: read.unknown } : read;
}

/** Providers keep their place; a later one of the same name replaces the earlier. */
function mergeByName(base: readonly ExtensionProvider[], given: readonly ExtensionProvider[]): ExtensionProvider[] {
  return [...new Map([...base, ...given].map((provider) => [provider.name, provider])).values()];
}

function readMeshFile<T>(
  kind: string,
  text: string,
  file: string | undefined,
  read: (object: unknown) => SchemaResult<T>,
): { readonly value?: T; readonly diagnostics: readonly Diagnostic[] } {
  const ref = { kind, namespace: '', name: '' };
  const yaml = readYaml(text, file);
  if (yaml.diagnostics.length > 0) return { diagnostics: yaml.diagnostics.map((d) => ({ ...d, ...ref })) };
  const [document, second] = yaml.objects;
  const where = file === undefined ? undefined : { file, lineOf: (document ?? NO_LINES).lineOf };
  const reporter = new Reporter(ref, where);
  if (second !== undefined) {
    reporter.add('error', { code: 'yaml-syntax', path: [], message: 'there must be one document only' });
    return { diagnostics: reporter.diagnostics };
  }
  const { value, findings, unknown } = read(document?.value ?? {});
  reporter.addAll('error', [], findings);
  reporter.addAll('warning', [], unknown);
  return { ...(value !== undefined && { value }), diagnostics: reporter.diagnostics };
}

const NO_LINES = { lineOf: () => 1 };
