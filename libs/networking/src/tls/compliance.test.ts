import { expect, test } from '@jest/globals';
import { compliant } from './compliance.ts';

const params = {
  tlsMinimumProtocolVersion: 'TLSv1_2',
  tlsMaximumProtocolVersion: 'TLSv1_3',
  cipherSuites: ['ECDHE-RSA-AES128-GCM-SHA256', 'AES128-SHA'],
  ecdhCurves: ['X25519'],
} as const;

test.each([
  ['', params],
  ['unknown', params],
  [
    'fips-140-2',
    {
      tlsMinimumProtocolVersion: 'TLSv1_2',
      tlsMaximumProtocolVersion: 'TLSv1_2',
      cipherSuites: ['ECDHE-RSA-AES128-GCM-SHA256'],
    },
  ],
  ['fips-140-3', { ...params, compliancePolicies: ['FIPS_202205'] }],
])('policy "%s"', (policy, expected) => {
  expect(compliant(params, policy)).toEqual(expected);
});

test('after quanta, TLS 1.3 with a curve that withstands them', () => {
  expect(compliant(params, 'pqc')).toMatchObject({
    tlsMinimumProtocolVersion: 'TLSv1_3',
    ecdhCurves: ['X25519MLKEM768'],
  });
});
