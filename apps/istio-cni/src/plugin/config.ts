import { CniError } from './cni-error.ts';

type Json = Readonly<Record<string, unknown>>;

/** The plugin's entry in the network configuration, as the agent wrote it, and what the runtime added. */
export interface PluginConfig {
  readonly cniVersion: string;
  readonly logLevel: string;
  /** Where the agent has its sockets and the kubeconfig. */
  readonly agentRunDir: string;
  readonly ambientEnabled: boolean;
  readonly excludeNamespaces: readonly string[];
  /** The namespace of the agent's pods. */
  readonly podNamespace: string;
  readonly nativeNftables: boolean;
  /** What the plugins before this one have come to. */
  readonly prevResult: Json | undefined;
}

/** All whose results are passed through unchanged. */
export const supportedVersions = ['0.1.0', '0.2.0', '0.3.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const;
export const newestVersion = '1.1.0';
/** What is meant where no version is said. */
const oldestVersion = '0.1.0';

/** The version that a configuration says, for what is answered before it is understood. */
export function versionOf(stdin: string): string {
  try {
    const { cniVersion } = parse(stdin);
    return typeof cniVersion === 'string' && cniVersion !== '' ? cniVersion : oldestVersion;
  } catch {
    return newestVersion;
  }
}

/** @throws CniError */
export function readConfig(stdin: string): PluginConfig {
  const config = parse(stdin);
  const read = <T>(name: string, fallback: T, isValid: (value: unknown) => value is T, what: string): T => {
    const value = config[name] ?? fallback;
    if (!isValid(value)) throw new CniError('invalidConfig', `"${name}" of the configuration is not ${what}`);
    return value;
  };
  const text = (name: string, fallback: string) => read(name, fallback, isText, 'a text');
  const flag = (name: string) => read(name, false, isFlag, 'true or false');

  const cniVersion = text('cniVersion', '') || oldestVersion;
  if (!supportedVersions.some((version) => version === cniVersion)) {
    throw new CniError(
      'incompatibleVersion',
      `version ${cniVersion} of the CNI specification is not supported`,
      `supported are ${supportedVersions.join(', ')}`,
    );
  }
  return {
    cniVersion,
    logLevel: text('plugin_log_level', '') || 'info',
    agentRunDir: text('cni_agent_run_dir', '') || '/var/run/istio-cni',
    ambientEnabled: flag('ambient_enabled'),
    excludeNamespaces: read('exclude_namespaces', [], isTexts, 'a list of texts'),
    podNamespace: text('pod_namespace', ''),
    nativeNftables: flag('native_nftables'),
    prevResult: read('prevResult', undefined, isResult, 'an object'),
  };
}

function parse(stdin: string): Json {
  if (stdin.trim() === '') throw new CniError('decodingFailure', 'there is no network configuration on stdin');
  let value: unknown;
  try {
    value = JSON.parse(stdin);
  } catch (error) {
    throw new CniError('decodingFailure', 'the network configuration on stdin is not JSON', (error as Error).message);
  }
  if (!isObject(value)) throw new CniError('decodingFailure', 'the network configuration on stdin is not an object');
  return value;
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isResult = (value: unknown): value is Json | undefined => value === undefined || isObject(value);
