import { describe, expect, test } from '@jest/globals';
import { decode, fileDescriptorsFor, listServices } from './index.ts';

const namesOf = (symbol: string): readonly (string | undefined)[] | undefined =>
  fileDescriptorsFor(symbol)?.map((bytes) => decode('google.protobuf.FileDescriptorProto', bytes).name);

describe('fileDescriptorsFor', () => {
  test.each([
    ['a file', 'envoy/service/discovery/v3/ads.proto'],
    ['a service', 'envoy.service.discovery.v3.AggregatedDiscoveryService'],
    ['a method', 'envoy.service.discovery.v3.AggregatedDiscoveryService.StreamAggregatedResources'],
    ['a message', 'envoy.service.discovery.v3.AdsDummy'],
  ])('finds %s: the declaring file first, then all that it needs', (_, symbol) => {
    const names = namesOf(symbol);
    expect(names?.[0]).toBe('envoy/service/discovery/v3/ads.proto');
    expect(names).toContain('google/protobuf/any.proto');
    expect(new Set(names).size).toBe(names?.length);
  });

  test('is undefined for what does not exist', () => {
    expect(fileDescriptorsFor('no.Such')).toBeUndefined();
  });

  test('has validation rules in its descriptors', () => {
    const [file = new Uint8Array()] = fileDescriptorsFor('envoy.config.cluster.v3.Cluster') ?? [];
    expect(JSON.stringify(decode('google.protobuf.FileDescriptorProto', file))).toContain(
      '"[validate.rules]":{"duration":',
    );
  });
});

test('listServices names the services with their methods', () => {
  const ads = listServices().find((s) => s.name === 'envoy.service.discovery.v3.AggregatedDiscoveryService');
  expect(ads?.methods).toContainEqual({
    name: 'DeltaAggregatedResources',
    input: 'envoy.service.discovery.v3.DeltaDiscoveryRequest',
    output: 'envoy.service.discovery.v3.DeltaDiscoveryResponse',
    clientStreaming: true,
    serverStreaming: true,
  });
  expect(listServices().map((s) => s.name)).toEqual(
    expect.arrayContaining(['grpc.health.v1.Health', 'istio.v1.auth.IstioCertificateService']),
  );
});
