import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createMetricRegistry } from '@kedge/observability';
import { registerAgentMetrics } from '../metrics.ts';
import { counted } from './counted-requests.ts';

test('requests, those that failed, those after one that failed, and how long they took', async () => {
  const registry = createMetricRegistry();
  const outcomes = [true, false, false, true, true];
  const request = counted(registerAgentMetrics(registry), async () => {
    await sleep(10);
    if (outcomes.shift() !== true) throw new Error('the authority is down');
    return 'certificate';
  });
  const results: string[] = [];
  for (let turn = 0; turn < 5; turn++) results.push(await request().catch(String));
  const down = 'Error: the authority is down';
  expect(results).toEqual(['certificate', down, down, 'certificate', 'certificate']);
  const text = await registry.text();
  expect(text).toContain('istio_agent_num_outgoing_requests{request_type="csr"} 5');
  expect(text).toContain('istio_agent_num_failed_outgoing_requests{request_type="csr"} 2');
  expect(text).toContain('istio_agent_num_outgoing_retries{request_type="csr"} 2');
  const [, latency] = /istio_agent_outgoing_latency\{request_type="csr"\} (\S+)/.exec(text) ?? [];
  expect(Number(latency)).toBeGreaterThan(45);
});
