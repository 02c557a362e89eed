import type { MeshNetworks } from '../mesh/mesh-networks.ts';
import { isIpAddress, subnetProblem } from './address.ts';
import { domainProblem } from './dns.ts';
import { type Problem, type Validator } from './issues.ts';
import { portProblem } from './port.ts';

/**
 * What the types of MeshNetworks don't say.
 * https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/#MeshNetworks
 */
export const validateMeshNetworks: Validator<MeshNetworks> = (issues, { networks }) =>
  issues.entries('networks', networks, (network, { endpoints, gateways }) => {
    network.each('endpoints', endpoints, (at, endpoint) => {
      at.checkFields(endpoint, ['fromCidr'], 'invalid-address', subnetProblem);
    });
    network.each('gateways', gateways, (at, gateway) => {
      at.checkFields(gateway, ['address', 'registryServiceName'], 'invalid-host', hostProblem);
      at.errorIf(
        !gateway.address && !gateway.registryServiceName,
        'missing-host',
        'needs address or registryServiceName',
      );
      at.at('port').check('invalid-port', portProblem(gateway.port ?? 0));
    });
  });

const hostProblem = (host: string): Problem => (isIpAddress(host) ? undefined : domainProblem(host));
