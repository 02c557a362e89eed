import { domainProblem, isDnsLabel } from './dns.ts';
import { type Issues, quote } from './issues.ts';

/**
 * The names of gateways in the field `gateways`: `mesh`, `name` or `namespace/name`. Gateways made from the Gateway API
 * have names that are no labels.
 */
export function validateGatewayNames(issues: Issues, gateways: readonly string[], fromGatewayApi = false): void {
  for (const [i, gateway] of gateways.entries()) {
    const at = issues.at('gateways', i);
    const slash = gateway.indexOf('/');
    if (slash < 0) {
      const [name = '', namespace = ''] = gateway.split('.');
      at.warnIf(
        gateway.includes('.'),
        'legacy-gateway-name',
        `${quote(gateway)} should be written ${quote(`${namespace}/${name}`)}`,
      );
      at.check('invalid-gateway-name', domainProblem(gateway));
      return; // Istio looks at no name after a short one, so manifests may have anything there.
    }
    const name = gateway.slice(slash + 1);
    const fine = isDnsLabel(gateway.slice(0, slash)) && (isDnsLabel(name) || (fromGatewayApi && name !== ''));
    at.errorIf(!fine, 'invalid-gateway-name', `${quote(gateway)} must be a name or NAMESPACE/NAME`);
  }
}
