import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, expect, test } from '@jest/globals';
import { type Answer, decode, encode, type Question } from 'dns-packet';
import { systemLookup } from './lookup.ts';

const servers = new AsyncDisposableStack();
afterAll(() => servers.disposeAsync());

type Reply = { readonly code: number } | readonly { readonly data: string; readonly ttl: number }[];

/** A name server on loopback that answers each type as the test says. */
async function serverOf(reply: (question: Question) => Reply): Promise<string> {
  const socket = createSocket('udp4');
  servers.defer(() => void socket.close());
  socket.on('message', (bytes, { port, address }) => {
    const { id = 0, questions = [] } = decode(bytes);
    const [question] = questions;
    if (!question) return;
    const said = reply(question);
    const type = question.type as 'A' | 'AAAA';
    const answers: Answer[] = 'code' in said ? [] : said.map((record) => ({ name: question.name, type, ...record }));
    const flags = 'code' in said ? said.code : 0;
    socket.send(encode({ type: 'response', id, flags, questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;

test('addresses of both families, for as long as the shortest holds', async () => {
  const server = await serverOf(({ type }) =>
    type === 'AAAA'
      ? [{ data: '2001:db8::1', ttl: 300 }]
      : [
          { data: '10.0.0.2', ttl: 90 },
          { data: '10.0.0.1', ttl: 120 },
        ],
  );
  expect(await systemLookup([server])('gw.example')).toEqual({
    addresses: ['10.0.0.1', '10.0.0.2', '2001:db8::1'],
    ttlMs: 90_000,
  });
});

test('a host without addresses has none, which is no failure', async () => {
  const server = await serverOf(() => ({ code: NO_SUCH_NAME }));
  expect(await systemLookup([server])('gone.example')).toMatchObject({ addresses: [] });
});

test('the failure of one family leaves the other; of both, it is one', async () => {
  const half = await serverOf(({ type }) =>
    type === 'A' ? [{ data: '10.0.0.1', ttl: 60 }] : { code: SERVER_FAILURE },
  );
  expect(await systemLookup([half])('gw.example')).toMatchObject({ addresses: ['10.0.0.1'] });
  const broken = await serverOf(() => ({ code: SERVER_FAILURE }));
  await expect(systemLookup([broken])('gw.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
});
