import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from '@jest/globals';
import { instanceIps } from './instance-ips.ts';

const info = (address: string, internal = false) => ({ address, internal }) as NetworkInterfaceInfo;
const interfaces = {
  lo: [info('127.0.0.1', true), info('::1', true)],
  eth0: [info('10.0.0.1'), info('fe80::1'), info('fd00::1')],
  net1: [info('192.168.0.1'), info('169.254.3.4')],
};

test.each([
  ['', [], ['10.0.0.1', 'fd00::1', '192.168.0.1']],
  ['192.168.0.1', [], ['192.168.0.1', '10.0.0.1', 'fd00::1']],
  ['not-an-ip', ['net1'], ['10.0.0.1', 'fd00::1']],
  ['', ['net1', 'eth0'], ['127.0.0.1', '::1']],
])('of %j without %j are %j', (ip, excluded, expected) => {
  expect(instanceIps(ip, excluded, interfaces)).toEqual(expected);
});
