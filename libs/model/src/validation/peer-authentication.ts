import type { ConfigOf } from '../kinds/config.ts';
import type { Issues } from './issues.ts';
import { portProblem } from './port.ts';
import { validateWorkloadSelector } from './workload-selector.ts';

export function validatePeerAuthentication(issues: Issues, { spec }: ConfigOf<'PeerAuthentication'>): void {
  const { selector, portLevelMtls } = spec;
  const selectsAll = Object.keys(selector?.matchLabels ?? {}).length === 0;
  issues
    .at('portLevelMtls')
    .errorIf(
      selectsAll && Object.keys(portLevelMtls).length > 0,
      'conflicting-fields',
      'needs a selector with labels: a policy for a namespace or the mesh has no ports',
    );
  issues.entries('portLevelMtls', portLevelMtls, (at, _, port) =>
    at.check('invalid-port', /^\d+$/.test(port) ? portProblem(Number(port)) : 'the key must be a port number'),
  );
  issues.field('selector', selector, validateWorkloadSelector);
}
