import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse as parseYaml } from 'yaml';
import { type StringMatcher, parse, validate } from '@kedge/envoy-api';
import { ProxyConfig } from '@kedge/model';
import { buildBootstrap } from './bootstrap.ts';
import type { AgentBootstrap } from './messages.ts';
import { nodeMetadata } from './node-metadata.ts';
import { lightstepToken } from './tracing.ts';

interface PeerCase {
  readonly id: string;
  readonly expected: string;
  readonly options: {
    readonly proxyConfig: object;
    readonly env?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly compliancePolicy?: string;
    readonly secureMetricsPort?: number;
    readonly secureMergedMetricsPort?: number;
    readonly ignoreLocality?: boolean;
    readonly expectLightstepTokenFile?: boolean;
  };
}

interface TagFact {
  readonly stat: string;
  readonly removed: string;
  readonly value: string;
}

/** The outcome of one case; `difference` says where it is not equal. */
export interface PeerResult {
  readonly name: string;
  readonly equal: boolean;
  readonly difference?: string;
}

/** Runs the cases and facts of a folder of bootstrap peer data; its README says what the inputs are and how they compare. */
export async function runBootstrapPeerCases(dir: string): Promise<readonly PeerResult[]> {
  const { cases } = parseYaml(await readFile(join(dir, 'cases.yaml'), 'utf8')) as { cases: readonly PeerCase[] };
  const results: PeerResult[] = [];
  for (const peerCase of cases) {
    const expected: unknown = JSON.parse(await readFile(join(dir, peerCase.expected), 'utf8'));
    results.push(result(peerCase.id, runCase(peerCase, expected)));
  }
  const facts = parseYaml(await readFile(join(dir, 'facts/stat-tags.yaml'), 'utf8')) as Record<
    string,
    readonly TagFact[]
  >;
  const { bootstrap } = peerBootstrap(cases[0]!);
  for (const [tag, rows] of Object.entries(facts)) {
    for (const row of rows) results.push(result(`${tag} ${row.stat}`, tagDifference(bootstrap, tag, row)));
  }
  return results;
}

function result(name: string, difference: string | undefined): PeerResult {
  return { name, equal: difference === undefined, ...(difference !== undefined && { difference }) };
}

function peerBootstrap({
  id,
  options,
}: PeerCase): ReturnType<typeof buildBootstrap> & { readonly config: ProxyConfig } {
  const given = ProxyConfig.parse(options.proxyConfig);
  const config: ProxyConfig = {
    ...given,
    configPath: `/tmp/bootstrap/${id}`,
    customConfigFile: 'envoy_bootstrap.json',
    statusPort: given.statusPort || 15020,
  };
  const annotations = options.annotations ?? {};
  const { metadata } = nodeMetadata({
    environment: {
      ISTIO_METAJSON_LABELS: '{}',
      ISTIO_METAJSON_ANNOTATIONS: JSON.stringify(annotations),
      ...options.env,
    },
    proxyConfig: config,
    istioVersion: 'binary-1.0',
    instanceIps: ['10.3.3.3', '10.4.4.4', '10.5.5.5', '10.6.6.6', '10.4.4.4'],
    statusPort: 15021,
    prometheusPort: 15090,
    secureMetricsPort: options.secureMetricsPort ?? 0,
    secureMergedMetricsPort: options.secureMergedMetricsPort ?? 0,
    exitOnZeroActiveConnections: false,
    skipDeprecatedLogs: false,
    workloadIdentitySocketFile: 'test.sock',
    outlierLogPath: '/dev/stdout',
    pilotSan: ['spiffe://cluster.local/ns/istio-system/sa/istio-pilot-service-account'],
    podAnnotations: annotations,
  });
  const built = buildBootstrap({
    nodeId: 'sidecar~1.2.3.4~foo~bar',
    metadata,
    proxyConfig: config,
    xdsSocket: '/tmp/XDS',
    deltaXds: true,
    logAsJson: false,
    dualStack: false,
    statusProxyProtocol: false,
    hostIp: '',
    compliancePolicy: options.compliancePolicy ?? '',
    stripFragment: true,
    missingExtensions: new Set(),
  });
  return { ...built, config };
}

function runCase(peerCase: PeerCase, expected: unknown): string | undefined {
  const { bootstrap, config } = peerBootstrap(peerCase);
  if ((lightstepToken(config) !== undefined) !== (peerCase.options.expectLightstepTokenFile ?? false)) {
    return 'the access token file';
  }
  return difference(comparable(expected, peerCase), comparable(bootstrap, peerCase), 'bootstrap');
}

const ignoredMetadata = ['Prefixes', 'Suffixes', 'Regexps'].map((kind) => `sidecar.istio.io/statsInclusion${kind}`);

/** A bootstrap read as the message that it is: unknown fields and what Envoy would refuse are errors. */
function canonical(json: unknown): AgentBootstrap {
  const name = 'envoy.config.bootstrap.v3.Bootstrap';
  const parsed = parse(name, json);
  const problems = parsed.ok ? validate(name, parsed.message) : parsed.errors;
  if (!parsed.ok || problems.length > 0) throw new Error(JSON.stringify(problems));
  return parsed.message as AgentBootstrap;
}

/** A bootstrap of either side with what the README leaves out taken away and the stats matcher as three lists. */
function comparable(json: unknown, { options }: PeerCase): unknown {
  const bootstrap = canonical(json);
  const { statsMatcher, ...statsConfig } = bootstrap.statsConfig;
  // The last part of the path is the case's folder; one file was recorded in another's.
  const proxyConfig = { ...(bootstrap.node.metadata['PROXY_CONFIG'] as object), configPath: '/tmp/bootstrap' };
  const metadata = Object.entries({ ...bootstrap.node.metadata, PROXY_CONFIG: proxyConfig }).filter(
    ([key]) => !ignoredMetadata.includes(key),
  );
  return {
    ...bootstrap,
    ...(bootstrap.tracing && { tracing: withoutTokenPath(bootstrap.tracing) }),
    node: {
      ...bootstrap.node,
      metadata: Object.fromEntries(metadata),
      ...(options.ignoreLocality && { locality: {} }),
    },
    statsConfig: { ...statsConfig, statsMatcher: byKind(statsMatcher.inclusionList.patterns) },
  };
}

function withoutTokenPath({ http }: NonNullable<AgentBootstrap['tracing']>): unknown {
  return { http: { ...http, typedConfig: { ...http.typedConfig, accessTokenFile: undefined } } };
}

function byKind(patterns: readonly StringMatcher[]): Readonly<Record<string, readonly string[]>> {
  return {
    prefixes: patterns.flatMap((p) => (p.prefix === undefined ? [] : [p.prefix])),
    suffixes: patterns.flatMap((p) => (p.suffix === undefined ? [] : [p.suffix])),
    regexes: patterns.flatMap((p) => (p.safeRegex?.regex === undefined ? [] : [p.safeRegex.regex])),
  };
}

function difference(expected: unknown, actual: unknown, path: string): string | undefined {
  if (isDeepStrictEqual(expected, actual)) return undefined;
  if (!isObject(expected) || !isObject(actual) || Array.isArray(expected) !== Array.isArray(actual)) {
    return `${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    const found = difference(expected[key], actual[key], `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function tagDifference(bootstrap: AgentBootstrap, tag: string, { stat, removed, value }: TagFact): string | undefined {
  const regex = bootstrap.statsConfig.statsTags.find(({ tagName }) => tagName === tag)?.regex ?? '';
  const match = new RegExp(regex.replaceAll('[:digit:]', '0-9')).exec(stat);
  return match?.[1] === removed && match[2] === value ? undefined : `split into ${JSON.stringify(match?.slice(1))}`;
}
