import type { Service, ServicePort } from '@kedge/model';

/** What a pattern for names of statistics is filled in from. */
export interface StatNameInput {
  readonly service: Pick<Service, 'hostname' | 'name' | 'namespace' | 'provider'>;
  readonly port: Pick<ServicePort, 'port' | 'name'>;
  readonly subset?: string;
  /** Undefined for what isn't a cluster of the server: its pattern's `%TARGET_PORT%` stays as it is. */
  readonly targetPort?: number;
}

const isKubernetes = ({ service }: StatNameInput): boolean => service.provider === 'Kubernetes';

/** https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/ (`outboundClusterStatName`) */
const VARIABLES: Readonly<Record<string, (input: StatNameInput) => string | undefined>> = {
  SERVICE: (input) =>
    isKubernetes(input) ? `${input.service.name}.${input.service.namespace}` : input.service.hostname,
  SERVICE_NAME: (input) => (isKubernetes(input) ? input.service.name : input.service.hostname),
  SERVICE_FQDN: ({ service }) => service.hostname,
  SUBSET_NAME: ({ subset = '' }) => subset,
  TARGET_PORT: ({ targetPort }) => targetPort?.toString(),
  SERVICE_PORT: ({ port }) => String(port.port),
  SERVICE_PORT_NAME: ({ port }) => port.name,
};

/** Fills in a pattern such as `%SERVICE%_%SERVICE_PORT%`; unknown variables stay as they are. */
export function fillStatName(pattern: string, input: StatNameInput): string {
  return pattern.replace(/%([A-Z_]+)%/g, (text, name: string) => VARIABLES[name]?.(input) ?? text);
}

/** Names of what goes out: clients know no target port, and count it as 0. */
export const outboundStatName = (pattern: string, input: Omit<StatNameInput, 'targetPort'>): string =>
  fillStatName(pattern, { ...input, targetPort: 0 });

/** The delimiter tells where the name ends, so that rules for statistics needn't guess. */
export const delimited = (name: string): string => `${name};`;
