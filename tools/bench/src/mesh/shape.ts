/** How large the mesh is. Services are numbered; service i lies in namespace i modulo `namespaces`. */
export interface MeshShape {
  readonly services: number;
  /** Endpoints of each service. */
  readonly endpoints: number;
  readonly namespaces: number;
  /** Whether each namespace has a Sidecar that sees only itself. */
  readonly sidecar: boolean;
}

/** Shares of the services, in percent. */
const VIRTUAL_SERVICES = 30;
const DESTINATION_RULES = 50;

export const namespaceOf = (service: number, { namespaces }: MeshShape): string => `ns-${service % namespaces}`;

export const hostOf = (service: number, shape: MeshShape): string =>
  `svc-${service}.${namespaceOf(service, shape)}.svc.cluster.local`;

export const clusterOf = (service: number, shape: MeshShape): string => `outbound|80||${hostOf(service, shape)}`;

/** Address of an endpoint, which is that of the proxy that stands for it too. */
export function endpointAddress(service: number, endpoint: number): string {
  const k = service * 16 + endpoint;
  return `10.${1 + Math.floor(k / 62_500)}.${Math.floor(k / 250) % 250}.${1 + (k % 250)}`;
}

export const serviceAddress = (service: number): string =>
  `172.${20 + Math.floor(service / 62_500)}.${Math.floor(service / 250) % 250}.${1 + (service % 250)}`;

/** The services that change. No proxy is of them, as long as there are fewer proxies than endpoints. */
export function hotServices({ services }: MeshShape) {
  return { endpoint: services - 1, virtualService: services - 2, destinationRule: services - 3, burst: services - 4 };
}

export function hasVirtualService(service: number, shape: MeshShape): boolean {
  return service === hotServices(shape).virtualService || isAmong(service, VIRTUAL_SERVICES);
}

export function hasDestinationRule(service: number, shape: MeshShape): boolean {
  const { destinationRule } = hotServices(shape);
  return service === destinationRule || hasVirtualService(service, shape) || isAmong(service, DESTINATION_RULES);
}

/** Spreads a share evenly over the services. */
function isAmong(service: number, percent: number): boolean {
  return (service * 31) % 100 < percent;
}
