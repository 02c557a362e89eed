import { status as codes } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import protobuf from 'protobufjs';
import { Health, healthServiceName } from './health.ts';
import { bytes, failure, startServer } from './test-support.ts';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message HealthCheckRequest { string service = 1; }
  enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; SERVICE_UNKNOWN = 3; }
  message HealthCheckResponse { ServingStatus status = 1; }
  message HealthListResponse { map<string, HealthCheckResponse> statuses = 1; }
`);
const request = (service: string): Uint8Array => root.lookupType('HealthCheckRequest').encode({ service }).finish();
const json = (type: string, data: Uint8Array): unknown =>
  root.lookupType(type).toObject(root.lookupType(type).decode(data), { enums: String });
const status = (data: Uint8Array): unknown => (json('HealthCheckResponse', data) as { status: string }).status;

const path = (method: string): string => `/${healthServiceName}/${method}`;

test('Check, List and Watch follow the health of a service', async () => {
  const health = new Health();
  await using server = await startServer({});
  server.server.addService(healthServiceName, health.methods);
  const client = server.connect();
  health.set('', 'SERVING');

  expect(status(await client.unary(path('Check'), request('')))).toBe('SERVING');
  expect(await failure(client.unary(path('Check'), request('a.B')))).toMatchObject({ code: codes.NOT_FOUND });
  expect(await failure(client.unary(path('Check'), bytes('\n')))).toMatchObject({ code: codes.INVALID_ARGUMENT });

  const watch = client.bidi(path('Watch')).send(request('a.B'));
  watch.call.end();
  await watch.count(1);
  health.set('a.B', 'SERVING');
  await watch.count(2);
  health.set('a.B', 'SERVING');
  health.set('', 'NOT_SERVING');
  health.set('a.B', 'NOT_SERVING');
  await watch.count(3);
  expect(watch.received.map(status)).toEqual(['SERVICE_UNKNOWN', 'SERVING', 'NOT_SERVING']);
  expect(json('HealthListResponse', await client.unary(path('List'), new Uint8Array()))).toEqual({
    statuses: { '': { status: 'NOT_SERVING' }, 'a.B': { status: 'NOT_SERVING' } },
  });

  watch.call.cancel();
  await watch.status;
  health.set('a.B', 'SERVING');
  expect(status(await client.unary(path('Check'), request('a.B')))).toBe('SERVING');
});

test('a watch ends when the server goes away, and does not hold it up', async () => {
  const health = new Health();
  const server = await startServer({});
  server.server.addService(healthServiceName, health.methods);
  const client = server.connect();
  const watch = client.bidi(path('Watch')).send(request(''));
  watch.call.end();
  await watch.count(1);
  await server.server.shutdown(60_000);
  expect((await watch.status).code).toBe(codes.UNAVAILABLE);
  client.close();
});
