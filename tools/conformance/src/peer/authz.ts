import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encode, type MessageName, parse } from '@kedge/envoy-api';
import { type Config, parseConfigFile } from '@kedge/model';
import { authorizationFilters, customAuthorizationFilters } from '@kedge/networking';
import { parse as parseYaml } from 'yaml';
import type { PeerResult } from '../peer.ts';
import { ask, meshOf, sidecarOf } from './mesh.ts';

interface Case {
  readonly id: string;
  readonly protocol: 'http' | 'tcp';
  readonly input: string;
  readonly expected: readonly string[];
  readonly options: {
    readonly customOnly?: boolean;
    readonly meshConfig?: string;
    readonly trustDomain?: string;
    readonly trustDomainAliases?: readonly string[];
  };
}

const MESSAGES = {
  http: 'envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter',
  tcp: 'envoy.config.listener.v3.Filter',
} as const satisfies Readonly<Record<Case['protocol'], MessageName>>;

const AUTHORIZER = `
apiVersion: v1
kind: Service
metadata: {name: my-custom-ext-authz, namespace: foo}
spec: {clusterIP: 10.96.0.1, ports: [{name: grpc, port: 9000}]}
`;

/** Runs the peer data of AuthorizationPolicy: policies to the filters that they come to. */
export async function runAuthz(dir: string): Promise<PeerResult> {
  const read = (name: string): Promise<string> => readFile(join(dir, name), 'utf8');
  const { cases } = parseYaml(await read('cases.yaml')) as { readonly cases: readonly Case[] };
  const problems = await Promise.all(cases.map(async (one) => [one.id, await problemOf(one, read)] as const));
  const failures = problems.flatMap(([id, problem]) => (problem === undefined ? [] : [`${id}: ${problem}`]));
  return { cases: cases.length, equal: cases.length - failures.length, failures };
}

async function problemOf(
  { protocol, input, expected, options }: Case,
  read: (name: string) => Promise<string>,
): Promise<string | undefined> {
  const policies = objectsOf(await read(input), input);
  const stated = options.meshConfig ? (parseYaml(await read(options.meshConfig)) as object) : {};
  const { trustDomain = '', trustDomainAliases = [] } = options;
  const push = meshOf([...policies, ...objectsOf(AUTHORIZER, 'authorizer')], {
    ...stated,
    trustDomain,
    trustDomainAliases,
  });
  const proxy = sidecarOf('test-node', 'foo', { app: 'httpbin', version: 'v1' });
  const build = options.customOnly ? customAuthorizationFilters : authorizationFilters;
  const found = ask(push, proxy, (mesh) => build(mesh, protocol));
  const wanted = await Promise.all(expected.map(async (name) => messageOf(protocol, parseYaml(await read(name)))));
  if (found.length !== wanted.length) return `wanted ${wanted.length} filters, found ${found.length}`;
  const at = wanted.findIndex((filter, i) => !isSame(protocol, filter, found[i] ?? {}));
  return at < 0 ? undefined : `filter ${at}: wanted ${JSON.stringify(wanted[at])}, found ${JSON.stringify(found[at])}`;
}

const objectsOf = (text: string, name: string): readonly Config[] =>
  parseConfigFile(text, name).flatMap(({ config }) => (config ? [config] : []));

function messageOf(protocol: Case['protocol'], input: unknown): object {
  const parsed = parse(MESSAGES[protocol], input);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.message;
}

function isSame(protocol: Case['protocol'], a: object, b: object): boolean {
  return Buffer.from(encode(MESSAGES[protocol], a)).equals(encode(MESSAGES[protocol], b));
}
