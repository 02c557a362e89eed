import { describe, expect, test } from '@jest/globals';
import { redact, redactValue } from './redact.ts';

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl';
const key = (end: string): string => `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n${end}`;

describe('redact', () => {
  test.each([
    [`token ${jwt} refused`, 'token [redacted] refused'],
    [`Authorization: Bearer abcdef0123456789`, 'Authorization: Bearer [redacted]'],
    [`${key('-----END RSA PRIVATE KEY-----')} and more`, '[redacted] and more'],
    [key(''), '[redacted]'],
    [JSON.stringify(key('-----END RSA PRIVATE KEY-----')), '"[redacted]"'],
    [
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    ],
    ['the bearer of good news', 'the bearer of good news'],
  ])('%j', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});

describe('redactValue', () => {
  test('goes by the name and by the look', () => {
    const value = {
      password: 'x',
      user: 'me',
      list: [jwt],
      nested: { private_key: 1, tokens: 3 },
      none: { token: undefined },
    };
    expect(redactValue(value)).toEqual({
      password: '[redacted]',
      user: 'me',
      list: ['[redacted]'],
      nested: { private_key: '[redacted]', tokens: 3 },
      none: {},
    });
  });

  test('does not print bytes', () => {
    expect(redactValue({ body: new Uint8Array(5) })).toEqual({ body: '[5 bytes]' });
  });

  test('ends in a circle', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(JSON.stringify(redactValue(circle))).toContain('[...]');
  });
});
