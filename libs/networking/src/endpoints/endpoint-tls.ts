import type { MeshRead } from '@kedge/config';
import type { ClientTLSSettings, DestinationRule, Endpoint } from '@kedge/model';
import { workloadMtlsMode } from '@kedge/pushcontext';

/** Where the endpoint has a proxy: what the client's rule says, else mutual TLS unless the endpoint's policies forbid it. */
export function usesMutualTls(
  read: MeshRead,
  tlsMode: ClientTLSSettings['mode'] | undefined,
  endpoint: Endpoint,
): boolean {
  if (endpoint.tlsMode !== 'istio') return false;
  if (tlsMode !== undefined) return tlsMode === 'ISTIO_MUTUAL';
  return workloadMtlsMode(read, endpoint.namespace, endpoint.labels, endpoint.port) !== 'DISABLE';
}

/** The TLS mode that a rule demands for a port of a subset; a setting for the port wins over one for all ports. */
export function demandedTlsMode(
  rule: Pick<DestinationRule, 'trafficPolicy' | 'subsets'> | undefined,
  port: number,
  subsetName: string,
): ClientTLSSettings['mode'] | undefined {
  const modeOf = (policy: DestinationRule['trafficPolicy']): ClientTLSSettings['mode'] | undefined => {
    const own = policy?.portLevelSettings.find((settings) => settings.port?.number === port && settings.tls)?.tls;
    const tls = own ?? policy?.tls;
    return tls && (tls.mode ?? 'DISABLE');
  };
  const subset = rule?.subsets.find(({ name }) => name === subsetName);
  if (subsetName !== '' && !subset) return undefined;
  return modeOf(subset?.trafficPolicy) ?? modeOf(rule?.trafficPolicy);
}
