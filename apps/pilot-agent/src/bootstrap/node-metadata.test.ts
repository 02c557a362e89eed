import { describe, expect, test } from '@jest/globals';
import { ProxyConfig } from '@kedge/model';
import { type NodeMetadataOptions, nodeLocality, nodeMetadata } from './node-metadata.ts';

const options: NodeMetadataOptions = {
  environment: {},
  proxyConfig: ProxyConfig.parse({}),
  istioVersion: '1.2.3',
  instanceIps: ['10.0.0.1'],
  statusPort: 15021,
  prometheusPort: 15090,
  secureMetricsPort: 0,
  secureMergedMetricsPort: 0,
  exitOnZeroActiveConnections: false,
  skipDeprecatedLogs: true,
  workloadIdentitySocketFile: 'socket',
  outlierLogPath: '',
  pilotSan: [],
};
const metadataOf = (environment: NodeMetadataOptions['environment'], more: Partial<NodeMetadataOptions> = {}) =>
  nodeMetadata({ ...options, ...more, environment }).metadata;

describe('sources', () => {
  test('proxyMetadata < ISTIO_META < ISTIO_METAJSON < what the agent knows', () => {
    const proxyConfig = ProxyConfig.parse({ proxyMetadata: { ISTIO_META_A: '1', ISTIO_META_B: '1', OTHER: 'x' } });
    const environment = {
      ISTIO_META_B: '2',
      ISTIO_META_C: '2',
      ISTIO_METAJSON_ANY: '{"C":{"d":3}}',
      ISTIO_META_INSTANCE_IPS: '9.9.9.9',
      POD_NAME: 'web-0',
      POD_NAMESPACE: 'shop',
      SERVICE_ACCOUNT: 'web',
      UNRELATED: 'x',
    };
    const metadata = metadataOf(environment, { proxyConfig });
    expect(metadata).toMatchObject({
      A: '1',
      B: '2',
      C: { d: 3 },
      INSTANCE_IPS: '10.0.0.1',
      NAME: 'web-0',
      NAMESPACE: 'shop',
      SERVICE_ACCOUNT: 'web',
      ISTIO_VERSION: '1.2.3',
    });
    expect(metadata).not.toHaveProperty('OTHER');
    expect(metadata).not.toHaveProperty('UNRELATED');
  });

  test('a malformed ISTIO_METAJSON is ignored with a warning', () => {
    const { metadata, warnings } = nodeMetadata({ ...options, environment: { ISTIO_METAJSON_X: '[1' } });
    expect(warnings).toEqual(['ISTIO_METAJSON_X is not a JSON object; it is ignored']);
    expect(metadata).not.toHaveProperty('X');
  });

  test.each([
    ['1', 'true'],
    ['True', 'true'],
    ['0', '0'],
    ['false', 'false'],
  ])('boolean %s becomes %s', (value, expected) => {
    expect(metadataOf({ ISTIO_META_DNS_CAPTURE: value })['DNS_CAPTURE']).toBe(expected);
  });

  test('a boolean that is none is an error', () => {
    expect(() => metadataOf({ ISTIO_META_ENABLE_HBONE: 'yes' })).toThrow('ISTIO_META_ENABLE_HBONE: "yes"');
  });

  test.each([
    [{}, undefined, 'false'],
    [{ ISTIO_META_ENABLE_HBONE: 'true' }, undefined, 'true'],
    [{ ISTIO_META_ENABLE_HBONE: 'true' }, false, 'false'],
  ])('metadata discovery of %j, %j is %s', (environment, metadataDiscovery, expected) => {
    expect(metadataOf(environment, { metadataDiscovery }).METADATA_DISCOVERY).toBe(expected);
  });
});

describe('labels', () => {
  const environment = { ISTIO_METAJSON_LABELS: '{"app":"web","istio-locality":"r.z.s"}' };

  test('without a file, fixed labels are the labels', () => {
    const metadata = metadataOf(environment);
    const labels = { app: 'web', 'istio-locality': 'r/z/s' };
    expect(metadata).toMatchObject({ LABELS: labels, STATIC_LABELS: labels, app: 'web' });
    expect(nodeLocality(metadata)).toEqual({ region: 'r', zone: 'z', subZone: 's' });
  });

  test('labels of the pod win, without the hash of the template', () => {
    const podLabels = { app: 'pod', 'pod-template-hash': 'x', 'topology.istio.io/locality': 'region1' };
    const metadata = metadataOf(environment, { podLabels });
    expect(metadata.LABELS).toEqual({
      app: 'pod',
      'istio-locality': 'region1',
      'topology.istio.io/locality': 'region1',
    });
    expect(metadata['STATIC_LABELS']).toEqual({ app: 'web', 'istio-locality': 'r.z.s' });
    expect(nodeLocality(metadata)).toEqual({ region: 'region1' });
  });
});
