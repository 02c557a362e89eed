import type { Service, ServicePort } from '@kedge/model';

/** What a pattern for names of statistics is filled in from. */
export interface StatNameInput {
  readonly service: Pick<Service, 'hostname' | 'name' | 'namespace' | 'provider'>;
  readonly port: Pick<ServicePort, 'port' | 'name'>;
  readonly subset?: string;
  readonly targetPort?: number;
}

const isKubernetes = ({ service }: StatNameInput): boolean => service.provider === 'Kubernetes';

/** https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/ (`outboundClusterStatName`) */
const VARIABLES: Readonly<Record<string, (input: StatNameInput) => string>> = {
  SERVICE: (input) =>
    isKubernetes(input) ? `${input.service.name}.${input.service.namespace}` : input.service.hostname,
  SERVICE_NAME: (input) => (isKubernetes(input) ? input.service.name : input.service.hostname),
  SERVICE_FQDN: ({ service }) => service.hostname,
  SUBSET_NAME: ({ subset = '' }) => subset,
  TARGET_PORT: ({ targetPort = 0 }) => String(targetPort),
  SERVICE_PORT: ({ port }) => String(port.port),
  SERVICE_PORT_NAME: ({ port }) => port.name,
};

/** Fills in a pattern such as `%SERVICE%_%SERVICE_PORT%`; unknown variables stay as they are. */
export function fillStatName(pattern: string, input: StatNameInput): string {
  return pattern.replace(/%([A-Z_]+)%/g, (text, name: string) => VARIABLES[name]?.(input) ?? text);
}

/** The delimiter tells where the name ends, so that rules for statistics needn't guess. */
export const delimited = (name: string): string => `${name};`;
