import { expect, test } from '@jest/globals';
import { ForwardedCertificateAuthenticator } from './forwarded-certificate.ts';

const reviews = 'spiffe://mesh.example/ns/shop/sa/reviews';
const authenticator = new ForwardedCertificateAuthenticator({
  trustDomains: () => ({ own: 'mesh.example', aliases: [] }),
  trustedGateways: ['10.1.0.0/16', 'fd00::/64'],
});

async function outcome(header: string | undefined, address = '10.1.2.3:40000'): Promise<unknown> {
  const metadata = new Map(header === undefined ? [] : [['x-forwarded-client-cert', header]]);
  const result = await authenticator.authenticate({ address, tls: true, certificate: undefined, metadata });
  return result.kind === 'authenticated' ? result.caller.identities : `${result.kind}: ${result.problem}`;
}

test.each([
  ['a gateway', '10.1.2.3:40000'],
  ['one with IPv6', '[fd00::1]:40000'],
  ['one that came by a socket for both', '::ffff:10.1.2.3:40000'],
  ['loopback', '127.0.0.1:40000'],
])('a client is known by what %s says of its certificate', async (_, address) => {
  expect(await outcome(`Hash=x;Subject="";URI=${reviews}`, address)).toEqual([reviews]);
});

test.each(['10.2.0.1:40000', '[fd01::1]:40000', 'unix:/a', ''])('%s is not believed', async (address) => {
  expect(await outcome(`URI=${reviews}`, address)).toBe('refused: certificates are not forwarded from this address');
});

test.each<readonly [string, string | undefined, unknown]>([
  ['nothing', undefined, 'absent: no certificate is forwarded'],
  ['an empty value', '', 'absent: no certificate is forwarded'],
  ['quoted values', `By=x;Subject="CN=a,O=b\\"; URI=c";URI="${reviews}"`, [reviews]],
  ['what a caller said before', `By=x;URI=spiffe://mesh.example/ns/bank/sa/admin,By=y;URI=${reviews}`, [reviews]],
  ['what a caller said, in quotes', `Subject="x,URI=spiffe://mesh.example/ns/bank/sa/admin";URI=${reviews}`, [reviews]],
  [
    'an element without a URI',
    `URI=${reviews},By=x;DNS=a.example`,
    'refused: the client certificate has no SPIFFE identity',
  ],
  ['two URIs', `URI=${reviews};uri=${reviews}2`, 'refused: the client certificate has more than one URI'],
  ['another trust domain', 'URI=spiffe://evil/ns/a/sa/b', 'refused: the client certificate is of another trust domain'],
  ['an open quote', 'Subject="CN=a', 'refused: the forwarded certificate cannot be read'],
  ['an open end', `URI=${reviews};`, 'refused: the forwarded certificate cannot be read'],
  ['no pairs', 'junk', 'refused: the forwarded certificate cannot be read'],
])('%s', async (_, header, expected) => {
  expect(await outcome(header)).toEqual(expected);
});
