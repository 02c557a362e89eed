import { type Of, list, message, required } from '../parse/message.ts';
import { int32, string, struct } from '../parse/scalars.ts';
import { PolicyTargetReference, WorkloadMode, WorkloadPortSelector, WorkloadSelector } from './selector.ts';
import { FailStrategy, PluginPhase, PluginType, PullPolicy, VmConfig } from './wasm.ts';

export const WasmPluginTrafficSelector = message({
  mode: WorkloadMode,
  ports: list(WorkloadPortSelector),
});
export type WasmPluginTrafficSelector = Of<typeof WasmPluginTrafficSelector>;

/** A Wasm filter for the selected workloads. */
export const WasmPlugin = message({
  selector: WorkloadSelector,
  targetRef: PolicyTargetReference,
  targetRefs: list(PolicyTargetReference),
  url: required(string, ''),
  sha256: string,
  imagePullPolicy: PullPolicy,
  imagePullSecret: string,
  verificationKey: string,
  pluginConfig: struct,
  pluginName: string,
  phase: PluginPhase,
  priority: int32,
  failStrategy: FailStrategy,
  vmConfig: VmConfig,
  match: list(WasmPluginTrafficSelector),
  type: PluginType,
});
export type WasmPlugin = Of<typeof WasmPlugin>;
