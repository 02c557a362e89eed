import { NotBuiltError } from '@kedge/cli';
import type { EffectiveProxyConfig } from '@kedge/model';
import { parseAddress } from './bootstrap/addresses.ts';
import type { XdsTransport } from './bootstrap/clusters.ts';
import type { AgentEnvironment } from './environment.ts';

/** The control plane's port for xDS in plain text. */
const plainTextPort = 15010;

/**
 * How Envoy reaches the control plane in this version: straight and in plain text.
 * @throws NotBuiltError for what needs certificates.
 */
export function xdsTransport(config: EffectiveProxyConfig, environment: AgentEnvironment): XdsTransport {
  const { port } = parseAddress('discoveryAddress', config.discoveryAddress);
  if (config.controlPlaneAuthPolicy !== 'NONE' && port !== plainTextPort) {
    throw new NotBuiltError(
      `TLS towards ${config.discoveryAddress} is not built yet in this version: ` +
        `set controlPlaneAuthPolicy to NONE, or use port ${plainTextPort}`,
    );
  }
  const needs = certificateUsers(config, environment);
  if (needs.length > 0) {
    throw new NotBuiltError(`certificates are not built yet in this version; needed by ${needs.join(', ')}`);
  }
  return { kind: 'direct', address: config.discoveryAddress };
}

/** Settings that have Envoy fetch certificates from the agent. */
function certificateUsers(config: EffectiveProxyConfig, environment: AgentEnvironment): readonly string[] {
  const tlsSettings = {
    'tracing.tlsSettings': config.tracing?.tlsSettings,
    'envoyMetricsService.tlsSettings': config.envoyMetricsService?.tlsSettings,
    'envoyAccessLogService.tlsSettings': config.envoyAccessLogService?.tlsSettings,
  };
  const isTls = (name: keyof typeof tlsSettings) => (tlsSettings[name]?.mode ?? 'DISABLE') !== 'DISABLE';
  return [
    ...(Object.keys(tlsSettings) as (keyof typeof tlsSettings)[]).filter(isTls),
    ...(environment.secureMetricsPort ? ['ENVOY_SECURE_METRICS_PORT'] : []),
    ...(environment.secureMergedMetricsPort ? ['ENVOY_SECURE_MERGED_METRICS_PORT'] : []),
  ];
}
