import { describe, expect, test } from '@jest/globals';
import { secretAccessSource, secretReviewsSource, SINGLE } from '@kedge/config';
import type { ProxyIdentity } from '@kedge/model';
import { meshOf, messagesOf, proxyOf } from '../testing/mesh.ts';
import { secret } from './secret.ts';

const manifests = `
apiVersion: v1
kind: Secret
metadata: {name: tls, namespace: edge}
data: {tls.crt: Y2VydA==, tls.key: a2V5, ca.crt: Y2E=, tls.ocsp-staple: c3RhcGxl}
---
apiVersion: v1
kind: Secret
metadata: {name: generic, namespace: edge}
stringData: {cert: cert, key: key, cacert: ca, crl: crl}
---
apiVersion: v1
kind: Secret
metadata: {name: generic-cacert, namespace: edge}
data: {cacert: b3RoZXI=}
---
apiVersion: v1
kind: Secret
metadata: {name: empty, namespace: edge}
data: {tls.crt: "", tls.key: a2V5}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: roots, namespace: shop}
data: {ca.crt: ca}
---`;

interface Circumstances {
  readonly identity?: ProxyIdentity;
  readonly reviewed?: boolean;
  readonly access?: { readonly trustsStatedIdentity: boolean; readonly allowsUnreviewed: boolean };
}

function ask(name: string, { identity, reviewed, access }: Circumstances) {
  const push = meshOf(manifests).next((edit) => {
    if (access) edit.set(secretAccessSource, SINGLE, access);
    if (reviewed !== undefined) edit.set(secretReviewsSource, 'edge/edge', reviewed);
  });
  const metadata = { SERVICE_ACCOUNT: 'edge' };
  const proxy = {
    ...proxyOf('edge', { type: 'router', namespace: 'edge', metadata }),
    ...(identity ? { identity } : {}),
  };
  const resource = push.evaluate(proxy, secret, name);
  if (!resource) return undefined;
  const { '@type': _, name: _name, ...content } = messagesOf([resource])[name] as Record<string, unknown>;
  return content;
}

const edge = { namespace: 'edge', serviceAccount: 'edge' };
const open = { trustsStatedIdentity: false, allowsUnreviewed: true };

describe('content', () => {
  test.each([
    [
      'kubernetes://tls',
      {
        tlsCertificate: {
          certificateChain: { inlineBytes: 'Y2VydA==' },
          privateKey: { inlineBytes: 'a2V5' },
          ocspStaple: { inlineBytes: 'c3RhcGxl' },
        },
      },
    ],
    ['kubernetes://tls-cacert', { validationContext: { trustedCa: { inlineBytes: 'Y2E=' } } }],
    [
      'kubernetes://edge/generic',
      { tlsCertificate: { certificateChain: { inlineBytes: 'Y2VydA==' }, privateKey: { inlineBytes: 'a2V5' } } },
    ],
    ['kubernetes://generic-cacert', { validationContext: { trustedCa: { inlineBytes: 'b3RoZXI=' } } }],
    ['configmap://shop/roots', { validationContext: { trustedCa: { inlineBytes: 'Y2E=' } } }],
    ['configmap://shop/roots-cacert', { validationContext: { trustedCa: { inlineBytes: 'Y2E=' } } }],
    ['kubernetes://empty', undefined],
    ['kubernetes://gone', undefined],
    ['configmap://roots', undefined],
    ['invalid://', undefined],
    ['default', undefined],
  ])('%s', (name, expected) => {
    expect(ask(name, { identity: edge, access: open })).toEqual(expected);
  });
});

describe('who gets a key', () => {
  const stranger = { namespace: 'shop', serviceAccount: 'edge' };
  test.each<[string, Circumstances, string, boolean]>([
    ['a verified identity that was reviewed', { identity: edge, reviewed: true }, 'kubernetes://tls', true],
    ['one that was refused', { identity: edge, reviewed: false, access: open }, 'kubernetes://tls', false],
    ['one that nobody reviewed', { identity: edge }, 'kubernetes://tls', false],
    ['one that nobody reviewed, for roots', { identity: edge }, 'kubernetes://tls-cacert', true],
    ['nobody in particular', { reviewed: true, access: open }, 'kubernetes://tls', false],
    [
      'whoever says so, where that is enough',
      { access: { trustsStatedIdentity: true, allowsUnreviewed: true } },
      'kubernetes://tls',
      true,
    ],
    ['another namespace', { identity: stranger, access: open }, 'kubernetes://edge/tls', false],
    [
      'a Gateway API reference that nobody made',
      { identity: edge, access: open },
      'kubernetes-gateway://edge/tls',
      false,
    ],
  ])('%s', (_, circumstances, name, expected) => {
    expect(ask(name, circumstances) !== undefined).toBe(expected);
  });
});
