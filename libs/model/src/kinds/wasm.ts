import { type Of, enumeration, list, message, required } from '../parse/message.ts';
import { string } from '../parse/scalars.ts';

export const PullPolicy = enumeration(['UNSPECIFIED_POLICY', 'IfNotPresent', 'Always']);
export type PullPolicy = Of<typeof PullPolicy>;

export const PluginPhase = enumeration(['UNSPECIFIED_PHASE', 'AUTHN', 'AUTHZ', 'STATS']);
export type PluginPhase = Of<typeof PluginPhase>;

export const FailStrategy = enumeration(['FAIL_CLOSE', 'FAIL_OPEN', 'FAIL_RELOAD']);
export type FailStrategy = Of<typeof FailStrategy>;

export const EnvValueSource = enumeration(['INLINE', 'HOST']);
export type EnvValueSource = Of<typeof EnvValueSource>;

export const EnvVar = message({
  name: required(string, ''),
  valueFrom: EnvValueSource,
  value: string,
});
export type EnvVar = Of<typeof EnvVar>;

export const VmConfig = message({
  env: list(EnvVar),
});
export type VmConfig = Of<typeof VmConfig>;

export const PluginType = enumeration(['UNSPECIFIED_PLUGIN_TYPE', 'HTTP', 'NETWORK']);
export type PluginType = Of<typeof PluginType>;
