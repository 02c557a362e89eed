import { expect, test } from '@jest/globals';
import { imageTypeOf } from './proxy-image.ts';

test.each([
  [undefined, undefined, undefined, undefined],
  [undefined, undefined, 'distroless', 'distroless'],
  [undefined, '', 'distroless', 'distroless'],
  [undefined, 'debug', 'distroless', 'debug'],
  ['default', 'debug', 'distroless', 'default'],
  ['', 'debug', 'distroless', ''],
])('annotation %s, proxy config %s, installation %s: %s', (annotation, imageType, variant, expected) => {
  const annotations: Readonly<Record<string, string>> =
    annotation === undefined ? {} : { 'sidecar.istio.io/proxyImageType': annotation };
  const image = imageType === undefined ? {} : { image: { imageType } };
  expect(imageTypeOf({ annotations }, image, { hub: '', tag: '', proxy: {}, variant })).toBe(expected);
});
