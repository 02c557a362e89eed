import type { ConfigOf } from '../kinds/config.ts';
import type { LuaConfig } from '../kinds/traffic-extension.ts';
import type { Issues } from './issues.ts';
import { validateTrafficMatch, validateWasmModule } from './wasm.ts';
import { validatePolicyTarget } from './workload-selector.ts';

const MAX_LUA_BYTES = 65536;

export function validateTrafficExtension(issues: Issues, { spec }: ConfigOf<'TrafficExtension'>): void {
  const { wasm, lua, match } = spec;
  issues.errorIf((wasm === undefined) === (lua === undefined), 'required', 'needs exactly one of wasm and lua');
  validatePolicyTarget(issues, spec);
  issues.field('lua', lua, validateLua);
  issues.field('wasm', wasm, validateWasmModule);
  issues.each('match', match, (at, one) => {
    at.errorIf(
      one.mode === undefined && one.ports.length === 0,
      'empty',
      'needs mode or ports; to match all, leave it out',
    );
    validateTrafficMatch(at, one);
  });
}

function validateLua(issues: Issues, { inlineCode }: LuaConfig): void {
  const at = issues.at('inlineCode');
  at.errorIf(inlineCode === '', 'required', 'needs code');
  at.errorIf(Buffer.byteLength(inlineCode) > MAX_LUA_BYTES, 'too-large', `must be at most ${MAX_LUA_BYTES} bytes`);
}
