import { expect, test } from '@jest/globals';
import { decode, encode, type Packet } from 'dns-packet';
import fc from 'fast-check';
import { fitAnswer, isAnswerTo, readRequest, type Request, ResponseCode, writeAnswer } from './message.ts';

const queryFor = (name: string, type: 'A' | 'AAAA' | 'PTR' = 'A', more: Packet = {}): Buffer =>
  encode({ type: 'query', id: 4711, flags: 0x100, questions: [{ type, name, class: 'IN' }], ...more });

function read(message: Buffer): Extract<Request, { kind: 'query' }> {
  const request = readRequest(message);
  if (request.kind !== 'query') throw new Error(request.kind);
  return request;
}

test('a query is read, in lower case', () => {
  expect(read(queryFor('Reviews.Shop', 'AAAA'))).toMatchObject({
    question: { name: 'reviews.shop', type: 28, class: 1 },
    edns: false,
    limit: 512,
  });
});

test.each([
  [1232, 1232],
  [100, 512],
])("the client's size of %d makes a limit of %d", (udpPayloadSize, limit) => {
  const opt = { type: 'OPT', name: '.', udpPayloadSize, flags: 0, extendedRcode: 0, ednsVersion: 0, flag_do: false };
  const query = queryFor('a', 'A', { additionals: [{ ...opt, options: [] } as never] });
  expect(read(query)).toMatchObject({ edns: true, limit });
});

test.each([
  ['an answer', encode({ type: 'response', questions: [{ type: 'A', name: 'a' }] }), { kind: 'ignored' }],
  ['a part of a header', queryFor('a').subarray(0, 11), { kind: 'ignored' }],
  ['no question', encode({ type: 'query', questions: [] }), { kind: 'refused', code: ResponseCode.formatError }],
  [
    'two questions',
    encode({
      type: 'query',
      questions: [
        { type: 'A', name: 'a' },
        { type: 'A', name: 'b' },
      ],
    }),
    { kind: 'refused', code: ResponseCode.formatError },
  ],
  ['a cut question', queryFor('abc').subarray(0, 15), { kind: 'refused', code: ResponseCode.formatError }],
  [
    'another operation',
    encode({ type: 'query', flags: 4 << 11, questions: [{ type: 'A', name: 'a' }] }),
    { kind: 'refused', code: ResponseCode.notImplemented },
  ],
])('%s is no query', (_, message, expected) => {
  expect(readRequest(message)).toEqual(expected);
});

test('names with octets that no host has are left to others', () => {
  expect(read(queryFor('caf\u00e9.shop')).question.name).toBeUndefined();
  expect(read(queryFor('_http._tcp.shop')).question.name).toBe('_http._tcp.shop');
});

test('an answer with an alias and both kinds of addresses is what other implementations read', () => {
  const query = queryFor('www.example.com.shop.svc.cluster.local', 'AAAA');
  const addresses = ['2001:db8::1', '::ffff:10.0.0.1', '1:2:3:4:5:6:7:8'];
  const answer = decode(writeAnswer(query, read(query), { alias: 'www.example.com', addresses }, 512));
  expect(answer).toMatchObject({ id: 4711, rcode: 'NOERROR', flag_aa: true, flag_rd: true, flag_tc: false });
  expect(answer.questions).toEqual(decode(query).questions);
  expect(answer.answers).toMatchObject([
    { type: 'CNAME', name: 'www.example.com.shop.svc.cluster.local', ttl: 30, data: 'www.example.com' },
    { type: 'AAAA', name: 'www.example.com', ttl: 30, data: '2001:db8::1' },
    { type: 'AAAA', name: 'www.example.com', data: '::ffff:a00:1' },
    { type: 'AAAA', name: 'www.example.com', data: '1:2:3:4:5:6:7:8' },
  ]);
});

test('what is too long is cut, and the client told so', () => {
  const query = queryFor('web.shop.svc.cluster.local');
  const addresses = Array.from({ length: 100 }, (_, index) => `10.0.0.${index}`);
  const written = writeAnswer(query, read(query), { addresses }, 512);
  expect(written.length).toBeLessThanOrEqual(512);
  const { answers = [], flag_tc } = decode(written);
  expect(flag_tc).toBe(true);
  expect(answers.length).toBe(Math.floor((512 - query.length) / 16));
  const whole = writeAnswer(query, read(query), { addresses }, 65_535);
  expect(decode(whole).answers).toHaveLength(100);
  const fitted = decode(fitAnswer(whole, 512));
  expect(fitted).toMatchObject({ flag_tc: true, answers: [], questions: [{ name: 'web.shop.svc.cluster.local' }] });
});

test('an answer is told from those to other requests', () => {
  const query = queryFor('a.example');
  const reply = (more: Packet): Buffer =>
    encode({ type: 'response', id: 4711, questions: [{ type: 'A', name: 'A.example' }], ...more });
  expect(isAnswerTo(reply({}), query)).toBe(true);
  expect(isAnswerTo(reply({ id: 4712 }), query)).toBe(false);
  expect(isAnswerTo(reply({ questions: [{ type: 'A', name: 'b.example' }] }), query)).toBe(false);
  expect(isAnswerTo(query, query)).toBe(false);
});

test('any bytes are read, and what is answered to is answered within the limit', () => {
  const anyMessage = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  const almost = fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(60), fc.nat(255)).map(([tail, at, octet]) => {
    const message = Buffer.concat([queryFor('reviews.shop.svc.cluster.local'), tail]);
    message[at % message.length] = octet;
    return message;
  });
  const addresses = ['10.0.0.1', 'fd00::1'];
  fc.assert(
    fc.property(fc.oneof(anyMessage, almost), (message) => {
      const request = readRequest(message);
      if (request.kind !== 'query') return;
      const answer = writeAnswer(message, request, { alias: 'a.b', addresses }, request.limit);
      expect(answer.length).toBeLessThanOrEqual(request.limit);
      expect(answer.subarray(0, 2)).toEqual(message.subarray(0, 2));
      expect(isAnswerTo(answer, message)).toBe(true);
    }),
    { numRuns: 10_000 },
  );
});
