/** What is made for gateways of a class: which template, and what the class says where the gateway doesn't. */
export interface GatewayClass {
  /** `spec.controllerName` of the GatewayClass. */
  readonly controller: string;
  readonly template: string;
  readonly serviceType: string;
  /** Whether the name of the class is a part of the names of what is made. */
  readonly hasSuffix: boolean;
  /** Whether what is made serves the mesh itself, rather than what is outside of it. */
  readonly isOfMesh: boolean;
}

const gatewayClass = (
  controller: string,
  template: string,
  serviceType: string,
  more: Partial<GatewayClass> = {},
): GatewayClass => ({
  controller: `istio.io/${controller}`,
  template,
  serviceType,
  hasSuffix: false,
  isOfMesh: false,
  ...more,
});

/** Classes by controller, which users' own classes name too. */
export const gatewayClasses: readonly GatewayClass[] = [
  gatewayClass('gateway-controller', 'kube-gateway', 'LoadBalancer', { hasSuffix: true }),
  gatewayClass('mesh-controller', 'waypoint', 'ClusterIP', { isOfMesh: true }),
  gatewayClass('eastwest-controller', 'waypoint', 'LoadBalancer', { isOfMesh: true }),
  gatewayClass('agentgateway-controller', 'agentgateway', 'LoadBalancer'),
  gatewayClass('agentgateway-waypoint-controller', 'agentgateway-waypoint', 'ClusterIP', { isOfMesh: true }),
];

/** The label of everything that a controller manages. */
export const controllerLabel = ({ controller }: GatewayClass): string => controller.replaceAll('/', '-');
