import { expect, test } from '@jest/globals';
import { parseSecuritySettings } from './settings.ts';

test('settings are read from the environment', () => {
  const { settings, problems } = parseSecuritySettings({
    MAX_WORKLOAD_CERT_TTL: '1h',
    PILOT_JWT_PUB_KEY_REFRESH_INTERVAL: '30s',
    BLOCKED_CIDRS_IN_JWKS_URIS: '10.0.0.0/8, fd00::/8',
    XDS_AUTH: 'false',
  });
  expect(problems).toEqual([]);
  expect(settings).toMatchObject({
    maximumTtl: 3_600_000,
    jwksRefreshInterval: 30_000,
    blockedCidrs: ['10.0.0.0/8', 'fd00::/8'],
    authenticateXds: false,
    enableCa: true,
  });
});

test.each([
  ['MAX_WORKLOAD_CERT_TTL', 'soon', 'cannot read "soon", using the default'],
  ['XDS_AUTH', 'maybe', 'cannot read "maybe", using the default'],
  ['JWT_RULE', '{}', 'the JWT rule has no issuer'],
  ['TRUSTED_GATEWAY_CIDR', '10.0.0.1', '"10.0.0.1" is no CIDR'],
  ...['10.0.0.0', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'nowhere/8'].map(
    (cidr) => ['BLOCKED_CIDRS_IN_JWKS_URIS', cidr, `"${cidr}" is no CIDR`] as const,
  ),
])('%s=%s is told of, and the default holds', (name, value, problem) => {
  const { settings, problems } = parseSecuritySettings({ [name]: value });
  expect(problems).toEqual([`${name}: ${problem}`]);
  expect(settings).toEqual(parseSecuritySettings({}).settings);
});
