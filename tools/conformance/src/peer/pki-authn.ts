import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseConfig, validateConfig } from '@kedge/model';
import {
  authorizationFilters,
  claimPath,
  inTrustDomain,
  namesTrustDomain,
  parseJwksUri,
  principalsOf,
  spaceDelimitedClaims,
  trustDomainOf,
} from '@kedge/networking';
import { workloadMtlsMode } from '@kedge/pushcontext';
import { parse } from 'yaml';
import type { PeerResult } from '../peer.ts';
import { jwtFilterOutcome } from './jwt-filter.ts';
import { ask, meshOf, sidecarOf } from './mesh.ts';
import { pkiTables } from './pki.ts';
import type { Outcome, Row, Tables } from './tables.ts';

/** The tables of policies. */
const POLICY_TABLES: Tables = {
  'authz-fields.yaml': {
    condition: ({ key, values, wantError }) => refused({ when: [{ key, values }] }, wantError),
    wildcardValues: ({ values, wantError }) => refused({ when: [{ key: 'source.trustDomain', values }] }, wantError),
    trustDomainValues: ({ values, wantError }) => refused({ from: [{ source: { trustDomains: values } }] }, wantError),
    pathTemplate: ({ values, wantError }) => refused(toPaths(values), wantError),
    containsPathTemplate: ({ path, isPathTemplate }) => ({ wanted: isPathTemplate, found: becomesTemplate(path) }),
  },
  'peer-authentication.yaml': {
    compose: composed,
    spaceDelimitedClaims: ({ input, expected }) => ({
      wanted: expected,
      found: spaceDelimitedClaims((input ?? []) as readonly string[]),
    }),
  },
  'trust-domain.yaml': {
    replaceAliases: ({ trustDomainBundle, principals, expect }) => {
      const { trustDomain, aliases } = trustDomainBundle as { trustDomain: string; aliases: readonly string[] };
      return { wanted: expect, found: principalsOf(principals as readonly string[], [trustDomain, ...aliases]) };
    },
    replaceInPrincipal: ({ trustDomainIn = '', principal, out }) => ({
      wanted: out,
      found: inTrustDomain(String(trustDomainIn), String(principal)) ?? '',
    }),
    ofIdentity: ({ principal, out }) => ({ wanted: out, found: trustDomainOf(String(principal)) ?? '' }),
    isEnforced: ({ principal, want }) => ({ wanted: want, found: namesTrustDomain(String(principal)) }),
  },
  'jwt-filter.yaml': { cases: jwtFilterOutcome },
  'jwt.yaml': {
    routingClaim: ({ name, want }) => ({
      wanted: (want as { readonly claims?: readonly string[] }).claims,
      found: claimPath(String(name)),
    }),
  },
  'jwks.yaml': {
    parseUri: ({ in: uri, expected }) => {
      const server = parseJwksUri(String(uri));
      return {
        wanted: expected,
        found: server && {
          hostname: server.host,
          scheme: server.scheme,
          port: server.port,
          useSSL: server.scheme === 'https',
        },
      };
    },
  },
};

const LEFT_OUT = [
  'certs.yaml loadSigner: a reader that only tests of the reference use; verifiedBundle reads the same files',
  'authz-fields.yaml literal: which characters a segment of a path has; pathTemplate shows what it is for',
];

/** Runs the peer data of certificates, tokens, identities, and policies of authentication and authorization. */
export async function runPkiAuthn(dir: string): Promise<PeerResult> {
  const failures: string[] = [];
  let cases = 0;
  const runners = [pkiTables(dir), POLICY_TABLES].flatMap((tables) => Object.entries(tables));
  for (const [file, tables] of runners) {
    const content = parse(await readFile(join(dir, file), 'utf8')) as Readonly<Record<string, readonly Row[]>>;
    for (const [table, run] of Object.entries(tables)) {
      const rows = content[table] ?? [];
      cases += rows.length;
      for (const [at, row] of rows.entries()) {
        const { wanted, found } = await run(row);
        if (isDeepStrictEqual(wanted, found)) continue;
        const name = typeof row.name === 'string' ? ` (${row.name})` : '';
        failures.push(
          `${file} ${table}[${at}]${name}: wanted ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`,
        );
      }
    }
  }
  return { cases, equal: cases - failures.length, failures, leftOut: LEFT_OUT };
}

const policyWith = (rule: object): object => ({
  apiVersion: 'security.istio.io/v1',
  kind: 'AuthorizationPolicy',
  metadata: { name: 'row', namespace: 'foo' },
  spec: { rules: [rule] },
});

const toPaths = (paths: unknown): object => ({ to: [{ operation: { paths } }] });

function refused(rule: object, wantError: unknown): Outcome {
  const { config, diagnostics } = parseConfig(policyWith(rule));
  const found = config ? validateConfig(config) : diagnostics;
  return { wanted: wantError === true, found: found.some(({ severity }) => severity === 'error') };
}

/** The rows have what follows the slash, without which no path begins and Envoy takes no template. */
function becomesTemplate(path: unknown): boolean {
  const { config } = parseConfig(policyWith(toPaths([`/${String(path)}`])));
  const push = meshOf(config ? [config] : [], {});
  const filters = ask(push, sidecarOf('row', 'foo', {}), (read) => authorizationFilters(read, 'http'));
  return JSON.stringify(filters).includes('"uriTemplate"');
}

interface PolicyRow {
  readonly meta: { readonly name: string; readonly namespace: string; readonly creationTimestamp?: string };
  readonly spec: object;
}

const NOW = Date.UTC(2024, 0, 1);

/** `T`, or some seconds before it. */
function creationTime(text = 'T'): string {
  return new Date(NOW + Number(/^T([+-]\d+)s$/.exec(text)?.[1] ?? 0) * 1000).toISOString();
}

function composed({ configs, want }: Row): Outcome {
  const policies = (configs as readonly PolicyRow[]).flatMap(({ meta, spec }) => {
    const { config } = parseConfig({
      apiVersion: 'security.istio.io/v1',
      kind: 'PeerAuthentication',
      metadata: {
        name: meta.name.replaceAll(' ', '-'),
        namespace: meta.namespace,
        creationTimestamp: creationTime(meta.creationTimestamp),
      },
      spec,
    });
    return config ? [config] : [];
  });
  const { mode, perPort = {} } = want as { mode: string; perPort?: Readonly<Record<string, string>> };
  const push = meshOf(policies, { rootNamespace: 'root-namespace' });
  const found = ask(push, sidecarOf('row', 'my-ns', {}), (read) => {
    const modeOf = (port?: number): string => workloadMtlsMode(read, 'my-ns', { app: 'foo', stage: 'prod' }, port);
    return [modeOf(), ...Object.keys(perPort).map((port) => modeOf(Number(port)))];
  });
  return { wanted: [mode, ...Object.values(perPort)], found };
}
