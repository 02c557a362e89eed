import { expect, test } from '@jest/globals';
import { fillStatName, outboundStatName } from './stat-name.ts';

const kubernetes = {
  hostname: 'web.shop.svc.cluster.local',
  name: 'web',
  namespace: 'shop',
  provider: 'Kubernetes',
} as const;
const external = { hostname: 'api.example.com', name: 'entry', namespace: 'shop', provider: 'External' } as const;
const port = { port: 80, name: 'http' };

test.each([
  ['%SERVICE%', kubernetes, 'web.shop'],
  ['%SERVICE_NAME%', kubernetes, 'web'],
  ['%SERVICE_FQDN%_%SERVICE_PORT%', kubernetes, 'web.shop.svc.cluster.local_80'],
  ['%SERVICE%/%SERVICE_NAME%', external, 'api.example.com/api.example.com'],
  ['%SUBSET_NAME%.%SERVICE_PORT_NAME%.%TARGET_PORT%', kubernetes, 'v1.http.8080'],
  ['%OTHER% 100%', kubernetes, '%OTHER% 100%'],
])('%s', (pattern, service, expected) => {
  expect(fillStatName(pattern, { service, port, subset: 'v1', targetPort: 8080 })).toBe(expected);
});

test('a target port that does not apply stays as it is written; for clients it is 0', () => {
  const input = { service: kubernetes, port };
  expect(fillStatName('%SERVICE_PORT%|%TARGET_PORT%', input)).toBe('80|%TARGET_PORT%');
  expect(outboundStatName('%SERVICE_PORT%|%TARGET_PORT%', input)).toBe('80|0');
});
