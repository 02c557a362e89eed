import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../parse/json.ts';
import { findings, testRows } from './testing/rows.ts';

const GATEWAY_TARGET = { group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' };

describe('AuthorizationPolicy', () => {
  const from = (source: JsonObject): JsonObject => ({ from: [{ source }] });
  const operation = (op: JsonObject): JsonObject => ({ to: [{ operation: op }] });
  const when = (key: string, ...values: string[]): JsonObject => ({ when: [{ key, values }] });
  const allow = (rule: JsonObject): JsonObject => ({ rules: [rule] });
  const R = 'spec.rules[0]';
  testRows('AuthorizationPolicy', [
    ['allow nothing', {}],
    ['allow everything', allow({})],
    ['deny nothing', { action: 'DENY' }, 'error required spec.rules'],
    ['a provider without use', { provider: { name: 'a' } }, 'error conflicting-fields spec.provider'],
    ['an authorizer without name', { action: 'CUSTOM', rules: [{}] }, 'error required spec.provider.name'],
    ['what authorizers are not told', { action: 'CUSTOM', provider: { name: 'a' }, rules: [{ ...from({ namespaces: ['a'] }), ...when('source.principal', 'a') }] }, `error unsupported ${R}.from[0].source.namespaces`, `error unsupported ${R}.when[0].key`], // prettier-ignore
    ['selector and target', { selector: { matchLabels: { a: 'b' } }, targetRefs: [GATEWAY_TARGET] }, 'error conflicting-fields spec'], // prettier-ignore
    ['a target elsewhere', { targetRef: { ...GATEWAY_TARGET, kind: 'Pod', namespace: 'a' } }, 'error unsupported spec.targetRef', 'error unsupported-target spec.targetRef'], // prettier-ignore
    ['a target that Object has', { targetRef: { group: 'constructor', kind: 'name', name: 'a' } }, 'error unsupported-target spec.targetRef'], // prettier-ignore
    ['no source', allow({ from: [{}] }), `error required ${R}.from[0]`],
    ['an empty operation', allow(operation({})), `error empty ${R}.to[0].operation`],
    ['ranges', allow(from({ ipBlocks: ['10.0.0.0/8', 'fe80::1', '10.0.0.0/40'] })), `error invalid-value ${R}.from[0].source.ipBlocks[2]`], // prettier-ignore
    ['an account by wildcard', allow(from({ serviceAccounts: ['shop/a', 'shop/*'] })), `error invalid-value ${R}.from[0].source.serviceAccounts[1]`], // prettier-ignore
    ['account and namespace', allow(from({ serviceAccounts: ['a'], notNamespaces: ['b'] })), `error conflicting-fields ${R}.from[0].source`], // prettier-ignore
    ['trust domains', allow(from({ trustDomains: ['*.local', 'a*b', 'a/b'] })), `error invalid-value ${R}.from[0].source.trustDomains[1]`, `error invalid-value ${R}.from[0].source.trustDomains[2]`], // prettier-ignore
    ['ports', allow(operation({ ports: ['80', '0x50', '65536'] })), `error invalid-value ${R}.to[0].operation.ports[1]`, `error invalid-value ${R}.to[0].operation.ports[2]`], // prettier-ignore
    ['path templates', allow(operation({ paths: ['/a/{*}/{**}', '/{**}/{*}', '/{name}', '/{*}/b*'] })), `error invalid-value ${R}.to[0].operation.paths[1]`, `error invalid-value ${R}.to[0].operation.paths[2]`, `error invalid-value ${R}.to[0].operation.paths[3]`], // prettier-ignore
    ['conditions', allow(when('request.headers[x-a]', 'v'))],
    ['a condition without name', allow(when('request.headers[]', 'v')), `error invalid-condition ${R}.when[0].key`],
    ['a condition unknown', allow(when('source.user', 'v')), `error invalid-condition ${R}.when[0].key`],
    ['a condition without values', allow(when('source.ip')), `error required ${R}.when[0]`],
    ['a condition with a bad value', allow(when('source.ip', 'a.b')), `error invalid-value ${R}.when[0].values[0]`],
    ['deny by method', { action: 'DENY', ...allow(operation({ methods: ['GET'] })) }, `warning denies-all-tcp ${R}`],
    ['deny by method and port', { action: 'DENY', ...allow(operation({ methods: ['GET'], ports: ['80'] })) }],
    ['deny by token', { action: 'DENY', ...allow(from({ requestPrincipals: ['*'] })) }, `warning denies-all-tcp ${R}`],
  ]);

  test('dry runs', () => {
    const dryRun = (value: string): JsonObject => ({ annotations: { 'istio.io/dry-run': value } });
    const at = 'metadata.annotations["istio.io/dry-run"]';
    expect(findings('AuthorizationPolicy', {}, dryRun('true'))).toEqual([]);
    expect(findings('AuthorizationPolicy', {}, dryRun('yes'))).toEqual([`error invalid-value ${at}`]);
    expect(findings('AuthorizationPolicy', { action: 'AUDIT' }, dryRun('true'))).toEqual([
      `error unsupported-annotation ${at}`,
    ]);
    expect(findings('Sidecar', {}, dryRun('true'))).toEqual([`error unsupported-annotation ${at}`]);
  });

  test('annotations of the control plane', () => {
    const annotations = { 'internal.istio.io/parents': 'x' };
    expect(findings('WorkloadEntry', {}, { annotations })).toEqual([
      'error reserved-annotation metadata.annotations["internal.istio.io/parents"]',
    ]);
  });
});

describe('PeerAuthentication', () => {
  const portLevelMtls = (port: string): JsonObject => ({ portLevelMtls: { [port]: { mode: 'STRICT' } } });
  const selector = { matchLabels: { app: 'a' } };
  testRows('PeerAuthentication', [
    ['the mesh', { mtls: { mode: 'STRICT' } }],
    ['a port of workloads', { selector, ...portLevelMtls('80') }],
    ['a port of all', portLevelMtls('80'), 'error conflicting-fields spec.portLevelMtls'],
    ['no port', { selector, ...portLevelMtls('http') }, 'error invalid-port spec.portLevelMtls.http'],
  ]);
});

describe('RequestAuthentication', () => {
  const rule = (fields: JsonObject): JsonObject => ({ jwtRules: [{ issuer: 'a', ...fields }] });
  const keys = (...list: JsonObject[]): string => JSON.stringify({ keys: list });
  const RSA = { kty: 'RSA', n: 'AQAB', e: 'AQAB' };
  const J = 'spec.jwtRules[0]';
  testRows('RequestAuthentication', [
    ['an issuer', rule({})],
    ['nobody', { jwtRules: [{}] }, `error required ${J}`],
    ['keys by FTP', rule({ jwksUri: 'ftp://a/keys' }), `error invalid-url ${J}.jwksUri`],
    ['keys by HTTPS', rule({ jwksUri: 'https://a:8443/keys#x' })],
    ['a key set', rule({ jwks: keys(RSA) })],
    ['a single key', rule({ jwks: JSON.stringify(RSA) })],
    ['no key set', rule({ jwks: '{' }), `error invalid-jwks ${J}.jwks`],
    ['an incomplete key', rule({ jwks: keys({ kty: 'RSA', e: 'AQAB' }) }), `error invalid-jwks ${J}.jwks`],
    ['a private key', rule({ jwks: keys({ ...RSA, d: 'AQAB' }) }), `warning private-key ${J}.jwks`],
    ['empty places', rule({ audiences: [''], fromHeaders: [{}], fromCookies: [''] }), `error required ${J}.audiences[0]`, `error required ${J}.fromCookies[0]`, `error required ${J}.fromHeaders[0].name`], // prettier-ignore
    ['claims', rule({ outputClaimToHeaders: [{ header: 'x:y', claim: 'c' }, { header: 'h' }] }), `error invalid-header-name ${J}.outputClaimToHeaders[0].header`, `error required ${J}.outputClaimToHeaders[1]`], // prettier-ignore
  ]);
});
