import { describe, expect, test } from '@jest/globals';
import { defaultMeshConfig, kinds, parseFeatures } from '@kedge/model';
import { type ServerTlsInput, serverTlsContext } from './server-tls.ts';

type Settings = ServerTlsInput['settings'];

function settings(tls: object): Settings {
  const { servers } = kinds.Gateway.schema.parse({ servers: [{ port: { number: 443 }, hosts: ['*'], tls }] });
  return servers[0]?.tls as Settings;
}

function contextOf(tls: object, input: Partial<ServerTlsInput> = {}) {
  return serverTlsContext({
    settings: settings(tls),
    content: 'http',
    mesh: defaultMeshConfig,
    features: parseFeatures({}).features,
    credentials: {},
    fileSocket: false,
    ...input,
  });
}

/** Names of the certificates, and of what those of clients are checked with. */
function secretsOf(tls: object, input: Partial<ServerTlsInput> = {}) {
  const { commonTlsContext: common, requireClientCertificate } = contextOf(tls, input);
  return {
    certificates: common?.tlsCertificateSdsSecretConfigs?.map(({ name }) => name),
    roots: common?.combinedValidationContext?.validationContextSdsSecretConfig?.name,
    demands: requireClientCertificate,
  };
}

describe('secrets', () => {
  const files = { serverCertificate: '/c', privateKey: '/k', caCertificates: '/r' };
  test.each([
    [{ mode: 'SIMPLE', credentialName: 'x' }, ['kubernetes://x'], undefined, false],
    [{ mode: 'SIMPLE', credentialNames: ['x', 'y'] }, ['kubernetes://x', 'kubernetes://y'], undefined, false],
    [{ mode: 'MUTUAL', credentialName: 'x' }, ['kubernetes://x'], 'kubernetes://x-cacert', true],
    [{ mode: 'OPTIONAL_MUTUAL', credentialName: 'x' }, ['kubernetes://x'], 'kubernetes://x-cacert', false],
    [
      { mode: 'MUTUAL', credentialName: 'x', caCertCredentialName: 'roots' },
      ['kubernetes://x'],
      'kubernetes://roots',
      true,
    ],
    [{ mode: 'SIMPLE', credentialName: 'builtin://' }, ['default'], undefined, false],
    [{ mode: 'ISTIO_MUTUAL' }, ['default'], 'ROOTCA', true],
    [{ mode: 'SIMPLE', ...files }, ['file-cert:/c~/k'], undefined, false],
    [{ mode: 'MUTUAL', ...files }, ['file-cert:/c~/k'], 'file-root:/r', true],
    [
      { mode: 'SIMPLE', tlsCertificates: [{ serverCertificate: '/a', privateKey: '/b' }] },
      ['file-cert:/a~/b'],
      undefined,
      false,
    ],
  ])('%j', (tls, certificates, roots, demands) => {
    expect(secretsOf(tls)).toEqual({ certificates, roots, demands });
  });

  test('of the operator: by socket in the pod, by a service of the mesh, or else served as any', () => {
    const tls = { mode: 'SIMPLE', credentialName: 'sds://x' };
    expect(secretsOf(tls, { credentials: { socket: true } }).certificates).toEqual(['sds://x']);
    const provider = { cluster: 'outbound|80||sds.example.com', host: 'sds.example.com' };
    const [config] =
      contextOf(tls, { credentials: { provider } }).commonTlsContext?.tlsCertificateSdsSecretConfigs ?? [];
    expect(config?.name).toBe('x');
    expect(config?.sdsConfig?.apiConfigSource?.grpcServices?.[0]?.envoyGrpc).toEqual({
      clusterName: provider.cluster,
      authority: provider.host,
    });
    expect(secretsOf(tls).certificates).toEqual(['kubernetes://x']);
  });
});

describe('parameters', () => {
  const mesh = {
    ...defaultMeshConfig,
    tlsDefaults: { minProtocolVersion: 'TLSV1_3', cipherSuites: ['AES128-SHA'], ecdhCurves: ['P-256'] },
  } as const;

  test('of the server, over those of the mesh; unknown suites are left out', () => {
    const tls = {
      mode: 'SIMPLE',
      credentialName: 'x',
      minProtocolVersion: 'TLSV1_2',
      cipherSuites: ['nonsense', 'AES256-SHA'],
    };
    expect(contextOf(tls, { mesh }).commonTlsContext?.tlsParams).toEqual({
      tlsMinimumProtocolVersion: 'TLSv1_2',
      cipherSuites: ['AES256-SHA'],
      ecdhCurves: ['P-256'],
    });
  });

  test('none where nobody says anything, nor within the mesh', () => {
    expect(contextOf({ mode: 'SIMPLE', credentialName: 'x' }).commonTlsContext?.tlsParams).toBeUndefined();
    expect(contextOf({ mode: 'ISTIO_MUTUAL' }, { mesh }).commonTlsContext?.tlsParams).toBeUndefined();
  });
});

test.each([
  ['http', 'SIMPLE', ['h2', 'http/1.1']],
  ['http3', 'SIMPLE', ['h3']],
  ['opaque', 'SIMPLE', ['h2', 'http/1.1']],
  ['opaque', 'ISTIO_MUTUAL', ['istio-peer-exchange', 'h2', 'http/1.1']],
] as const)('protocols within TLS: %s with %s', (content, mode, expected) => {
  expect(contextOf({ mode, credentialName: 'x' }, { content }).commonTlsContext?.alpnProtocols).toEqual(expected);
});

test('what is known of clients', () => {
  const tls = {
    mode: 'MUTUAL',
    credentialName: 'x',
    subjectAltNames: ['a'],
    verifyCertificateHash: ['h'],
    insecureSkipVerify: true,
  };
  expect(contextOf(tls).commonTlsContext?.combinedValidationContext?.defaultValidationContext).toEqual({
    matchSubjectAltNames: [{ exact: 'a' }],
    verifyCertificateHash: ['h'],
    trustChainVerification: 'ACCEPT_UNTRUSTED',
  });
});
