import { expect, test } from '@jest/globals';
import { decodeAny, encode, encodeAny, encodeParts, packAny, partHeader, typeUrl, wrapAny } from '../index.ts';
import type { RouteConfiguration, VirtualHost } from '../index.ts';

const ROUTES = 'envoy.config.route.v3.RouteConfiguration';

const hosts: readonly VirtualHost[] = ['a', 'b', 'c'.repeat(300)].map((name) => ({ name, domains: [name] }));

test('a message put together from parts is the message', () => {
  const skeleton: RouteConfiguration = { name: 'r', validateClusters: false };
  const parts = hosts.map((host) => encode('envoy.config.route.v3.VirtualHost', host));
  const value = encodeParts(ROUTES, encode(ROUTES, skeleton), 'virtualHosts', parts);
  const whole = packAny(ROUTES, { ...skeleton, virtualHosts: hosts });
  expect(decodeAny(wrapAny(typeUrl(ROUTES), value))).toEqual(whole);
});

test('headers and parts written one after the other are the same message', () => {
  const parts = hosts.map((host) => encode('envoy.config.route.v3.VirtualHost', host));
  const chunks = parts.flatMap((part) => [partHeader(ROUTES, 'virtualHosts', part.length), part]);
  expect(Uint8Array.from(Buffer.concat(chunks))).toEqual(encode(ROUTES, { virtualHosts: hosts }));
});

test('wrapping encoded bytes gives what encoding the Any gives', () => {
  const message: RouteConfiguration = { name: 'r', virtualHosts: hosts };
  expect(wrapAny(typeUrl(ROUTES), encode(ROUTES, message))).toEqual(encodeAny(packAny(ROUTES, message)));
  expect(wrapAny(typeUrl(ROUTES), new Uint8Array())).toEqual(encodeAny(packAny(ROUTES, {})));
});

test('only lists of messages have parts', () => {
  expect(() => encodeParts(ROUTES, new Uint8Array(), 'name', [])).toThrow('is not a list of messages');
});
