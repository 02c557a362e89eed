import type { Messages } from '@kedge/envoy-api';

type TlsParameters = Messages['envoy.extensions.transport_sockets.tls.v3.TlsParameters'];

const GCM_CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
];

/** What each policy (`COMPLIANCE_POLICY`) makes of the parameters of a TLS context. */
const POLICIES: Readonly<Record<string, (params: TlsParameters) => TlsParameters>> = {
  'fips-140-2': ({ cipherSuites, ecdhCurves: _, ...params }) => ({
    ...params,
    tlsMinimumProtocolVersion: 'TLSv1_2',
    tlsMaximumProtocolVersion: 'TLSv1_2',
    ...(cipherSuites?.length ? { cipherSuites: cipherSuites.filter((suite) => GCM_CIPHERS.includes(suite)) } : {}),
  }),
  'fips-140-3': (params) => ({ ...params, compliancePolicies: ['FIPS_202205'] }),
  pqc: (params) => ({
    ...params,
    tlsMinimumProtocolVersion: 'TLSv1_3',
    cipherSuites: GCM_CIPHERS,
    ecdhCurves: ['X25519MLKEM768'],
  }),
};

/** Parameters within the limits of a policy; unchanged where there is none. */
export function compliant(params: TlsParameters, policy: string): TlsParameters {
  return POLICIES[policy]?.(params) ?? params;
}
