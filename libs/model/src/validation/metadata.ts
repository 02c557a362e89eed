import type { Config } from '../kinds/config.ts';
import { isKind } from '../kinds/config.ts';
import { type Issues, quote } from './issues.ts';

const DRY_RUN = 'istio.io/dry-run';
const GO_BOOLEAN = /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/;

/** Annotations that only the control plane itself sets; from users they could reach over namespaces. */
const INTERNAL = [
  'internal.istio.io/webhook-always-reject',
  'internal.istio.io/parent-namespace',
  'internal.istio.io/parents',
];

/** Annotations by which objects made from the Gateway API tell that they follow its rules. */
export const GATEWAY_SEMANTICS = 'internal.istio.io/gateway-semantics';
export const ROUTE_SEMANTICS = 'internal.istio.io/route-semantics';

export function hasGatewaySemantics({ annotations }: Config, annotation: string): boolean {
  return annotations[annotation] === 'gateway';
}

/** Rules of the metadata of every kind. */
export function validateMetadata(issues: Issues, config: Config): void {
  const at = issues.at('metadata', 'annotations');
  for (const annotation of INTERNAL) {
    const set = Object.hasOwn(config.annotations, annotation);
    at.at(annotation).errorIf(set, 'reserved-annotation', 'is reserved for the control plane');
  }
  const dryRun = config.annotations[DRY_RUN];
  if (dryRun !== undefined) validateDryRun(at.at(DRY_RUN), config, dryRun);
}

function validateDryRun(issues: Issues, config: Config, value: string): void {
  if (!isKind(config, 'AuthorizationPolicy')) {
    issues.error('unsupported-annotation', 'only an AuthorizationPolicy can be tried in a dry run');
    return;
  }
  const { action = 'ALLOW' } = config.spec;
  if (action !== 'ALLOW' && action !== 'DENY')
    issues.error('unsupported-annotation', `there is no dry run of action ${action}`);
  else issues.errorIf(!GO_BOOLEAN.test(value), 'invalid-value', `${quote(value)} must be "true" or "false"`);
}
