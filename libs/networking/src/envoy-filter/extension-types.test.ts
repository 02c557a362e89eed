import { expect, test } from '@jest/globals';
import { extensionTypes } from './extension-types.ts';

const config = (type: string, rest: object = {}) => ({ '@type': `type.googleapis.com/${type}`, ...rest });

test('the types of all settings of extensions, wrapped ones included, those of optional ones left aside', () => {
  const filters = [
    { name: 'plain', typedConfig: config('a.A', { inner: { typedConfig: config('a.Inner') } }) },
    { name: 'wrapped', typedConfig: config('udpa.type.v1.TypedStruct', { typeUrl: 'type.googleapis.com/b.B' }) },
    { name: 'optional', isOptional: true, typedConfig: config('c.C') },
    { name: 'elsewhere', configDiscovery: { typeUrls: ['d.D'] } },
  ];
  const typedPerFilterConfig = {
    own: config('e.E'),
    general: config('envoy.config.route.v3.FilterConfig', { config: config('f.F') }),
    disabled: config('envoy.config.route.v3.FilterConfig', { disabled: true }),
    optional: config('envoy.config.route.v3.FilterConfig', { isOptional: true, config: config('g.G') }),
  };
  expect(extensionTypes({ filters, typedPerFilterConfig }).toSorted()).toEqual(['a.A', 'a.Inner', 'b.B', 'e.E', 'f.F']);
});
