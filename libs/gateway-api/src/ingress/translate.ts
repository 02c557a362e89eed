import type { ConfigOf, KubernetesOf, MeshConfig } from '@kedge/model';
import { ingressGateway } from './gateway.ts';
import { type IngressSurroundings, ingressVirtualService, rulesByHost } from './virtual-service.ts';

/** What Ingresses come to as a whole, for those who don't follow changes. */
export function translateIngresses(
  ingresses: readonly KubernetesOf<'Ingress'>[],
  mesh: Pick<MeshConfig, 'ingressSelector' | 'ingressService'>,
  surroundings: IngressSurroundings,
): {
  readonly gateways: readonly ConfigOf<'Gateway'>[];
  readonly virtualServices: readonly ConfigOf<'VirtualService'>[];
} {
  return {
    gateways: ingresses.map((ingress) => ingressGateway(ingress, mesh, surroundings.gatewayNamespace)),
    virtualServices: [...rulesByHost(ingresses)].flatMap(
      ([host, rules]) => ingressVirtualService(host, rules, surroundings) ?? [],
    ),
  };
}
