import type { AgentMetrics } from '../metrics.ts';

/** Requests for certificates, with what became of them counted. */
export function counted<T>(metrics: AgentMetrics, request: () => Promise<T>): () => Promise<T> {
  const type = { request_type: 'csr' };
  let hasFailed = false;
  return async () => {
    const started = performance.now();
    metrics.istio_agent_num_outgoing_requests.increment(type);
    if (hasFailed) metrics.istio_agent_num_outgoing_retries.increment(type);
    hasFailed = true;
    try {
      const result = await request();
      hasFailed = false;
      return result;
    } catch (error) {
      metrics.istio_agent_num_failed_outgoing_requests.increment(type);
      throw error;
    } finally {
      metrics.istio_agent_outgoing_latency.add(performance.now() - started, type);
    }
  };
}
