import type { MetricRegistry } from '@kedge/observability';
import type { CertificateAuthority } from '../ca/certificate-authority.ts';
import type { CertificateEvent } from './certificate-service.ts';

/** Metrics of the certificate authority, by Istio's names. */
const table = {
  citadel_server_csr_count: { kind: 'counter', help: 'requests for certificates' },
  citadel_server_authentication_failure_count: {
    kind: 'counter',
    help: 'requests of callers that are not authenticated',
  },
  citadel_server_csr_parsing_err_count: { kind: 'counter', help: 'requests that cannot be read' },
  citadel_server_id_extraction_err_count: { kind: 'counter', help: "requests for names that are not the caller's" },
  citadel_server_csr_sign_err_count: { kind: 'counter', help: 'requests that were not signed', labels: ['error'] },
  citadel_server_success_cert_issuance_count: { kind: 'counter', help: 'certificates issued' },
  citadel_server_root_cert_expiry_timestamp: { kind: 'gauge', help: 'Unix time at which the root expires' },
  citadel_server_root_cert_expiry_seconds: { kind: 'gauge', help: 'seconds until the root expires' },
  citadel_server_cert_chain_expiry_timestamp: { kind: 'gauge', help: 'Unix time at which the chain expires' },
  citadel_server_cert_chain_expiry_seconds: { kind: 'gauge', help: 'seconds until the chain expires' },
} as const;

/** Registers the metrics; the result is to be told of each request, and disposed of. */
export function certificateMetrics(
  registry: MetricRegistry,
  authority: CertificateAuthority,
): Disposable & { readonly observe: (event: CertificateEvent) => void } {
  const metrics = registry.register(table);
  const expiry = (what: 'root_cert' | 'cert_chain', at: Date | undefined): void => {
    if (!at) return;
    metrics[`citadel_server_${what}_expiry_timestamp`].set(at.getTime() / 1000);
    metrics[`citadel_server_${what}_expiry_seconds`].set((at.getTime() - Date.now()) / 1000);
  };
  const scrape = registry.onScrape(() => {
    const { roots, chain } = authority.material;
    expiry('root_cert', roots[0]?.notAfter);
    expiry('cert_chain', chain[0]?.notAfter);
  });
  const observe = (event: CertificateEvent): void => {
    switch (event.kind) {
      case 'received':
        return metrics.citadel_server_csr_count.increment();
      case 'signed':
        return metrics.citadel_server_success_cert_issuance_count.increment();
      case 'unauthenticated':
        return metrics.citadel_server_authentication_failure_count.increment();
      case 'refused':
        if (event.reason === 'CSR_ERROR') metrics.citadel_server_csr_parsing_err_count.increment();
        if (event.reason === 'ID_ERROR') metrics.citadel_server_id_extraction_err_count.increment();
        return metrics.citadel_server_csr_sign_err_count.increment({ error: event.reason });
    }
  };
  return { observe, [Symbol.dispose]: () => scrape[Symbol.dispose]() };
}
