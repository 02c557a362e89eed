import { describe, expect, test } from '@jest/globals';
import { isIpAddress, splitHostPort, subnetProblem, unixSocketProblem } from './address.ts';
import { celProblem } from './cel-syntax.ts';
import { domainProblem, partialWildcardProblem, wildcardDomainProblem } from './dns.ts';
import { headerValueProblem } from './http-header.ts';
import { durationProblem, isWhole } from './numbers.ts';
import { regexProblem } from './regex.ts';
import { parseUrl } from './url.ts';

/** Which of the texts have a problem. */
const bad = (problem: (text: string) => string | undefined, ...texts: string[]): string[] =>
  texts.filter((text) => problem(text) !== undefined);

test('domain names', () => {
  const label = 'a'.repeat(63);
  expect(bad(domainProblem, 'a', 'a.com', 'a.com.', 'A-1.b', label)).toEqual([]);
  const wrong = ['', '.', 'a..b', '-a', 'a-.com', 'a_b', '*.a', '10.0.0.1', 'a.1', `${label}a`, 'a.'.repeat(128)];
  expect(bad(domainProblem, ...wrong)).toEqual(wrong);
  expect(bad(wildcardDomainProblem, '*', '*.a.com', '*-a.com', '*a.com', '8080')).toEqual([]);
  expect(bad(wildcardDomainProblem, 'a.*.com', '**', '*.', 'a*')).toEqual(['a.*.com', '**', 'a*']);
  expect(bad(partialWildcardProblem, '*', '*.a', 'a', '*a', 'a.*')).toEqual(['*a', 'a.*']);
});

test('addresses', () => {
  expect(['10.0.0.1', '::1', 'fe80::1%eth0', '::ffff:1.2.3.4'].every(isIpAddress)).toBe(true);
  expect(['', '10.0.0', '010.0.0.1', '256.0.0.1', ':::', '10.0.0.1/8', 'fe80::1%'].some(isIpAddress)).toBe(false);
  expect(bad(subnetProblem, '10.0.0.0/8', '10.1.2.3', '2001:db8::/32', '::/0')).toEqual([]);
  const wrong = ['10.0.0.0/33', '::/129', '10.0.0.0/08', '10.0.0.0/', 'fe80::%1/64', '10.0.0.0/8/8'];
  expect(bad(subnetProblem, ...wrong)).toEqual(wrong);
  expect(bad(unixSocketProblem, '/a', '@a', 'a', '', '/', '/a/')).toEqual(['a', '', '/', '/a/']);
  expect(splitHostPort('[::1]:80')).toEqual({ host: '::1', port: '80' });
  expect(splitHostPort(':80')).toEqual({ host: '', port: '80' });
  expect(splitHostPort('::1:80')).toBeUndefined();
});

test('URLs', () => {
  expect(parseUrl('HTTPS://u:p@a.com:8443/x?y%')).toEqual({ scheme: 'https', host: 'a.com', port: '8443' });
  expect(parseUrl('http://[::1]:80')).toEqual({ scheme: 'http', host: '[::1]', port: '80' });
  expect(parseUrl('/a/b')).toEqual({ scheme: '', host: '', port: '' });
  expect(parseUrl('mailto:x')).toEqual({ scheme: 'mailto', host: '', port: '' });
  for (const text of ['', 'a.com/b', 'http://a:b', 'http://a b', 'http://a/%zz', 'http://\n', 'http://#a']) {
    expect(parseUrl(text)).toBeUndefined();
  }
});

test('header values in the format of Envoy', () => {
  const fine = ['', 'text', '100%%', '%HOSTNAME%', 'a %REQ(:path)% b', '%F(["a", "b\\""])%', '%F( x )%', '\t'];
  expect(bad(headerValueProblem, ...fine)).toEqual([]);
  const wrong = ['50%', '%A', '%A%%', '%F()%', '%F(["a" "b"])%', '%F([a])%', '%F(x)y%', 'a\nb'];
  expect(bad(headerValueProblem, ...wrong)).toEqual(wrong);
});

test('durations are whole milliseconds', () => {
  expect([1, 1000.9999999999999, 1001, 315_576_000_000_000].filter((ms) => durationProblem(ms) !== undefined)).toEqual(
    [],
  );
  expect([0, -5, 0.5, 1.5, 1000.0005].filter((ms) => durationProblem(ms) === undefined)).toEqual([]);
  expect([isWhole(2000, 1000), isWhole(2001, 1000)]).toEqual([true, false]);
});

test('regular expressions of RE2', () => {
  expect(bad(regexProblem, '^/v[12]/.*$', '(?i)a', '\\pL', '(?P<n>a)')).toEqual([]);
  expect(bad(regexProblem, '(?=a)', 'a++', '[', '(a)\\1', 'a{1001}')).toHaveLength(5);
});

describe('CEL', () => {
  test('expressions', () => {
    const fine = [
      'true',
      'response.code >= 400 && !(has(request.auth.principal) || x[0] in [1, 2,])',
      'a ? b : c ? d : e',
      '{"a": 1, b: [.c.d]}.a == -1u',
      'pkg.Type{field: 1.5e3}',
      'list.exists(x, x > 0x1F).map(y, f(y), y)',
      `r"\\d" + b'\\x41' + '''it's''' + "\\u00e9" // remark`,
      '"' + 'a'.repeat(5000) + '"',
    ];
    expect(bad(celProblem, ...fine)).toEqual([]);
  });

  test('what is none', () => {
    const wrong = ['', ' ', '(a', 'a b', '1 +', 'a = b', 'a.?b', 'if', 'in', '"\\q"', '"a', "f(,)", 'has(x)', 'l.all(1, x)', '[1 2]', '{a}', '#']; // prettier-ignore
    expect(bad(celProblem, ...wrong)).toEqual(wrong);
    expect(celProblem('('.repeat(10_000))).toContain('nested too deeply');
  });
});
