import type { WorkloadPortSelector } from '../kinds/selector.ts';
import type { VmConfig } from '../kinds/wasm.ts';
import { type Issues, type Problem, quote } from './issues.ts';
import { portProblem } from './port.ts';
import { parseUrl } from './url.ts';

/** What WasmPlugin and TrafficExtension say of a module in the same way. */
export interface WasmModule {
  readonly url: string;
  readonly sha256?: string;
  readonly imagePullSecret?: string;
  readonly pluginName?: string;
  readonly vmConfig?: VmConfig;
}

const MAX_SECRET = 253;
const MAX_NAME = 256;

export function validateWasmModule(issues: Issues, module: WasmModule): void {
  const { url, sha256 = '', vmConfig } = module;
  issues.at('url').check('invalid-url', moduleUrlProblem(url));
  if (sha256 !== '') {
    issues
      .at('sha256')
      .errorIf(!/^[a-f0-9]{64}$/.test(sha256), 'invalid-checksum', 'must be 64 digits of lower-case hexadecimal');
  }
  issues.checkFields(module, ['imagePullSecret'], 'too-long', longerThan(MAX_SECRET));
  issues.checkFields(module, ['pluginName'], 'too-long', longerThan(MAX_NAME));
  issues.field('vmConfig', vmConfig, validateVmConfig);
}

const longerThan =
  (limit: number) =>
  (text: string): Problem =>
    Buffer.byteLength(text) > limit ? `is longer than ${limit} bytes` : undefined;

const SCHEMES: ReadonlySet<string> = new Set(['', 'file', 'http', 'https', 'oci']);

/** A URL, or an image reference without scheme. */
function moduleUrlProblem(url: string): Problem {
  if (url === '') return 'is required';
  const parts = parseUrl(url) ?? parseUrl(`http://${url}`);
  if (parts === undefined) return `${quote(url)} is not a URL`;
  return SCHEMES.has(parts.scheme) ? undefined : `${quote(url)} must begin with oci://, https://, http:// or file://`;
}

function validateVmConfig(issues: Issues, { env }: VmConfig): void {
  const names = new Set<string>();
  issues.each('env', env, (at, { name, valueFrom = 'INLINE', value = '' }) => {
    if (name === '') at.at('name').error('required', 'needs a name');
    at.at('name').check('too-long', longerThan(MAX_NAME)(name));
    at.at('name').errorIf(names.has(name), 'duplicate-entry', `${quote(name)} is set twice`);
    names.add(name);
    at.at('value').errorIf(
      valueFrom !== 'INLINE' && value !== '',
      'conflicting-fields',
      'has a meaning only with valueFrom INLINE',
    );
  });
}

/** The traffic that an extension is for. */
export interface TrafficMatch {
  readonly ports: readonly WorkloadPortSelector[];
}

export function validateTrafficMatch(issues: Issues, { ports }: TrafficMatch): void {
  issues.each('ports', ports, (at, { number }) => at.at('number').check('invalid-port', portProblem(number)));
}
