import type { Destination } from '../kinds/destination.ts';
import { dnsLabelProblem, wildcardDomainProblem } from './dns.ts';
import type { Issues } from './issues.ts';
import { portProblem } from './port.ts';

export function validateDestination(issues: Issues, { host, subset = '', port }: Destination): void {
  issues.at('host').check('invalid-host', host === '*' ? '"*" is not a destination' : wildcardDomainProblem(host));
  if (subset !== '') issues.at('subset').check('invalid-subset', dnsLabelProblem(subset));
  issues.field('port', port, (at, { number = 0 }) => at.at('number').check('invalid-port', portProblem(number)));
}

/** A destination with a share of the traffic. */
export interface Weighted {
  readonly destination?: Destination;
  readonly weight?: number;
}

/**
 * The weighted destinations of a route. Those made from the Gateway API may name what is no domain, and were checked when
 * they were made.
 */
export function validateWeights(issues: Issues, route: readonly Weighted[], fromGatewayApi: boolean): void {
  let total = 0;
  issues.each('route', route, (at, { destination, weight = 0 }) => {
    at.errorIf(destination === undefined, 'required', 'needs a destination');
    if (!fromGatewayApi) at.field('destination', destination, validateDestination);
    at.at('weight').errorIf(weight < 0, 'out-of-range', `${weight} must not be negative`);
    total += weight;
  });
  issues
    .at('route')
    .errorIf(route.length > 1 && total === 0, 'invalid-weight', 'the weights of the destinations make 0');
}
