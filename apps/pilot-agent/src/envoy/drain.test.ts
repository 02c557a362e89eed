import { expect, test } from '@jest/globals';
import { activeConnections } from './drain.ts';

const stats = {
  'listener.0.0.0.0_8080.downstream_cx_active': 2,
  'listener.127.0.0.2_9080.downstream_cx_active': 1,
  'listener.0.0.0.0_8080.worker_0.downstream_cx_active': 2,
  'listener.0.0.0.0_15021.downstream_cx_active': 7,
  'listener.[__]_15090.downstream_cx_active': 7,
  'listener.admin.main_thread.downstream_cx_active': 7,
  'listener.envoy_internal_connect_originate.downstream_cx_active': 7,
  'http.inbound.downstream_cx_active': 7,
};

test('counts connections of clients only', () => {
  expect(activeConnections(new Map(Object.entries(stats)), [15021, 15090])).toBe(3);
});

test('no statistic is not the same as no connection', () => {
  expect(activeConnections(new Map(), [15021])).toBeUndefined();
  expect(activeConnections(new Map([['listener.admin.downstream_cx_active', 1]]), [15021])).toBe(0);
});
