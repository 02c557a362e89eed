import { type Of, enumeration, list, message, required } from '../parse/message.ts';
import { int32, string, struct } from '../parse/scalars.ts';
import { PolicyTargetReference, WorkloadMode, WorkloadPortSelector, WorkloadSelector } from './selector.ts';
import { FailStrategy, PluginType, PullPolicy, VmConfig } from './wasm.ts';

export const ExecutionPhase = enumeration(['UNSPECIFIED', 'AUTHN', 'AUTHZ', 'STATS']);
export type ExecutionPhase = Of<typeof ExecutionPhase>;

export const TrafficSelector = message({
  mode: WorkloadMode,
  ports: list(WorkloadPortSelector),
});
export type TrafficSelector = Of<typeof TrafficSelector>;

export const WasmConfig = message({
  url: required(string, ''),
  sha256: string,
  imagePullPolicy: PullPolicy,
  imagePullSecret: string,
  verificationKey: string,
  pluginConfig: struct,
  pluginName: string,
  failStrategy: FailStrategy,
  vmConfig: VmConfig,
  type: PluginType,
});
export type WasmConfig = Of<typeof WasmConfig>;

export const LuaConfig = message({
  inlineCode: required(string, ''),
});
export type LuaConfig = Of<typeof LuaConfig>;

/** A Wasm or Lua filter for the selected workloads. */
export const TrafficExtension = message(
  {
    selector: WorkloadSelector,
    targetRefs: list(PolicyTargetReference),
    phase: ExecutionPhase,
    priority: int32,
    match: list(TrafficSelector),
    wasm: WasmConfig,
    lua: LuaConfig,
  },
  ['wasm', 'lua'],
);
export type TrafficExtension = Of<typeof TrafficExtension>;
