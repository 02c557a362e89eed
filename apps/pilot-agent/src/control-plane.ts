import type { EffectiveProxyConfig } from '@kedge/model';
import { parseAddress } from './bootstrap/addresses.ts';
import type { AgentEnvironment } from './environment.ts';
import type { IdentitySource } from './identity/identity-source.ts';

/** The control plane's port for xDS in plain text. */
const plainTextPort = 15010;

/** Whether the control plane is called without TLS; then it gets no token either. */
export function isPlainText({ controlPlaneAuthPolicy, discoveryAddress }: EffectiveProxyConfig): boolean {
  const { port } = parseAddress('discoveryAddress', discoveryAddress);
  return controlPlaneAuthPolicy === 'NONE' || port === plainTextPort;
}

/** @throws Error where settings have Envoy fetch certificates, and nobody serves them. */
export function assertCertificates(
  config: EffectiveProxyConfig,
  environment: AgentEnvironment,
  source: IdentitySource,
): void {
  const needs = source.kind === 'none' ? certificateUsers(config, environment) : [];
  if (needs.length === 0) return;
  throw new Error(`certificates are needed by ${needs.join(', ')}: set CA_ADDR, or FILE_MOUNTED_CERTS`);
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
