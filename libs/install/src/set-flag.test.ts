import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@kedge/model';
import { applySetFlag } from './set-flag.ts';

const gateways = { gateways: [{ name: 'a', x: 1 }, { name: 'b' }] };

describe('--set', () => {
  test.each([
    ['a.b=1', {}, { a: { b: 1 } }],
    ['a.b=-1.5', {}, { a: { b: -1.5 } }],
    ['a=1e3', {}, { a: 1000 }],
    ['a=true', { a: { b: 1 } }, { a: true }],
    ['a=F', {}, { a: false }],
    ['a=', {}, { a: '' }],
    ['a', {}, { a: '' }],
    [' a = x ', {}, { a: 'x' }],
    ['a=b=c', {}, { a: 'b=c' }],
    ['a=1.2.3', {}, { a: '1.2.3' }],
    ['a=x\\,y', {}, { a: 'x,y' }],
    ['a\\.b/c.d=e', {}, { 'a.b/c': { d: 'e' } }],
    ['tag=1.10', {}, { tag: '1.10' }],
    ['values.global.tag=2', {}, { values: { global: { tag: '2' } } }],
    ['values.pilot.tag=2', {}, { values: { pilot: { tag: 2 } } }],
    [
      'meshConfig.defaultConfig.proxyMetadata.DNS=true',
      {},
      { meshConfig: { defaultConfig: { proxyMetadata: { DNS: 'true' } } } },
    ],
    ['gateways.[0].x=2', gateways, { gateways: [{ name: 'a', x: 2 }, { name: 'b' }] }],
    [
      'gateways[1].x=2',
      gateways,
      {
        gateways: [
          { name: 'a', x: 1 },
          { name: 'b', x: 2 },
        ],
      },
    ],
    [
      'gateways.[name:b].x=2',
      gateways,
      {
        gateways: [
          { name: 'a', x: 1 },
          { name: 'b', x: 2 },
        ],
      },
    ],
    ['gateways.[5].name=c', gateways, { gateways: [...gateways.gateways, { name: 'c' }] }],
    ['list.[0]=x', {}, { list: ['x'] }],
    ['a.b=1', { a: null }, { a: { b: 1 } }],
  ])('%s', (flag, spec, expected) => {
    const before = structuredClone(spec);
    expect(applySetFlag(spec as JsonObject, flag)).toEqual(expected);
    expect(spec).toEqual(before);
  });

  test.each([
    ['gateways.[name:c].x=1', gateways, 'element [name:c] not found'],
    ['gateways.name=c', gateways, '"name" is looked for in what is no object'],
    ['a.b=1', { a: 'text' }, '"b" is looked for in what is no object'],
    ['a.[0]=1', { a: {} }, '[0] is looked for in what is no list'],
    ['=1', {}, 'there is no path'],
  ])('%s is refused', (flag, spec, message) => {
    expect(() => applySetFlag(spec as JsonObject, flag)).toThrow(`--set ${flag}: ${message}`);
  });
});
