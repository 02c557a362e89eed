import type { ConfigOf } from '../kinds/config.ts';
import type { Issues } from './issues.ts';
import { validateTrafficMatch, validateWasmModule } from './wasm.ts';
import { validatePolicyTarget } from './workload-selector.ts';

export function validateWasmPlugin(issues: Issues, { spec }: ConfigOf<'WasmPlugin'>): void {
  validatePolicyTarget(issues, spec);
  validateWasmModule(issues, spec);
  issues.each('match', spec.match, validateTrafficMatch);
}
