import { describe, expect, test } from '@jest/globals';
import { ForgottenReads } from './forgotten-reads.ts';

/* Some of each sort; `npm run soak -- --reads 400` goes through all that there are. */
const forgotten = {
  sources: [
    'Gateway',
    'Service',
    'ServiceEntry',
    'VirtualService',
    'Ingress',
    'Namespace',
    'Node',
    'Pod',
    'Secret',
    'MeshConfig',
  ],
  indexes: [
    'ServiceEntry.host',
    'VirtualService.gateway',
    'EndpointSlice.service',
    'AuthorizationPolicy.namespace',
    'RequestAuthentication.namespace',
  ],
  facts: [
    'namespace',
    'nodeType',
    'ipAddress',
    'hasExtension',
    'metadataText',
    'interceptionMode',
    'proxy.address',
    'proxy.pod',
    'serviceTargets',
  ],
  queries: ['services', 'endpointShards', 'egressListeners', 'destinationRule', 'virtualService', 'mergedGateway', 'outboundCluster', 'nameTable', 'secret', 'gatewayFilterChain', 'inboundChain'], // prettier-ignore
};

const search = new ForgottenReads({ seed: 9, numRuns: 40, tries: 6 });

test('reads are found out by watching, not listed by hand', () => {
  expect(search.accessors.length).toBeGreaterThan(150);
});

describe.each(Object.entries(forgotten))('a forgotten read would be noticed: %s', (_sort, accessors) => {
  test.each(accessors)('%s', (accessor) => {
    expect(search.accessors).toContain(accessor);
    expect(search.noticed(accessor)).toBeDefined();
  });
});
