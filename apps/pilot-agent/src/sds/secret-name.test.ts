import { expect, test } from '@jest/globals';
import { fileSource } from './secret-name.ts';

test.each([
  ['file-cert:/a/cert.pem~/a/key.pem', { kind: 'certificate', chain: '/a/cert.pem', key: '/a/key.pem' }],
  ['file-root:/a/root.pem', { kind: 'roots', path: '/a/root.pem' }],
  ['file-cert:/a/cert.pem', undefined],
  ['file-cert:~/a/key.pem', undefined],
  ['file-root:', undefined],
  ['default', undefined],
  ['kubernetes://shop', undefined],
])('%s is %j', (name, source) => {
  expect(fileSource(name)).toEqual(source);
});
