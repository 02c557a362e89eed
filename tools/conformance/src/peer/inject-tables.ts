import { isDeepStrictEqual } from 'node:util';
import {
  appendMultusNetwork,
  checkAnnotations,
  type Container,
  envsOfUrl,
  type EnvVar,
  type InjectionPolicy,
  isInjectionRequired,
  isQuantity,
  type ObjectMeta,
  omitNil,
  otelResourceAttributes,
  parseStatus,
  type PodSpec,
  proxyImage,
  rewritesProbes,
  scrapeConfigOf,
  usesNativeSidecars,
  withProbers,
} from '@kedge/inject';

type Strings = Readonly<Record<string, string>>;

/** Fields of all tables; which of them a row has depends on its table. */
interface Row {
  readonly name: string;
  readonly want: unknown;
  readonly wantErr: boolean;
  readonly in: unknown;
  readonly config: InjectionPolicy;
  readonly podSpec: PodSpec;
  readonly meta: ObjectMeta;
  readonly value: string;
  readonly annotations: Strings | null;
  readonly labels?: Strings;
  readonly perviouslyInjected: boolean;
  readonly probers: string;
  readonly status: string;
  readonly wantPort?: string;
  readonly wantPath?: string;
  readonly wantTargets: unknown;
  readonly specSetting: boolean;
  readonly expected: boolean;
  readonly hub: string;
  readonly tag: string;
  readonly proxyConfigImageType?: string;
  readonly annotationImageType?: string;
  readonly mc: Parameters<typeof otelResourceAttributes>[0];
  readonly namespace: string;
  readonly containers?: readonly Container[];
  readonly kubeletVersions: readonly string[];
  readonly ENABLE_NATIVE_SIDECARS: string;
}

export type InjectTables = Readonly<Record<string, readonly Row[]>>;

/** Each gives what is there and what is expected. */
const tables: Readonly<Record<string, (row: Row) => readonly [unknown, unknown]>> = {
  injectRequired: ({ config, podSpec, meta, want }) => [
    isInjectionRequired(config, { metadata: meta, spec: podSpec }),
    want,
  ],
  validateResourceQuantity: ({ value, wantErr }) => [!isQuantity(value), wantErr],
  validateAnnotations: ({ annotations, wantErr }) => [throws(() => checkAnnotations(annotations ?? {})), wantErr],
  parseInjectEnvs: (row) => [lowerInitials(envsOfUrl(row.in as string)), row.want],
  appendMultusNetwork: (row) => [appendMultusNetwork(row.in as string, 'istio-cni'), row.want],
  mergeOrAppendProbers: (row) => [
    withProbers(row.in as readonly EnvVar[], row.probers, row.perviouslyInjected),
    row.want,
  ],
  parseStatus: ({ status, want }) => [namesOf(status), want],
  omitNil: (row) => [omitNil(row.in), row.want],
  prometheusScrapeTargets: ({ annotations, wantPort, wantPath, wantTargets }) => {
    const { port, path, targets } = scrapeConfigOf(annotations ?? {});
    return [
      { port, path, targets },
      { port: wantPort, path: wantPath, targets: wantTargets ?? undefined },
    ];
  },
  rewriteAppHTTPProbers: ({ annotations, specSetting, expected }) => [
    rewritesProbes(annotations ?? {}, specSetting),
    expected,
  ],
  proxyImage: ({ hub, tag, proxyConfigImageType, annotationImageType, want }) => [
    proxyImage({ hub, tag, image: 'proxyv2', type: annotationImageType ?? proxyConfigImageType }),
    want,
  ],
  otelResourceAttributes: ({ mc, namespace, labels = {}, annotations, containers = [], want }) => [
    otelResourceAttributes(mc, { labels, annotations: annotations ?? {} }, namespace, containers),
    want,
  ],
  detectNativeSidecar: ({ kubeletVersions, ENABLE_NATIVE_SIDECARS, want }) => [
    usesNativeSidecars(ENABLE_NATIVE_SIDECARS, kubeletVersions),
    want,
  ],
};

/** A line for each row: undefined if it's equal. */
export function runTables(data: InjectTables): readonly (string | undefined)[] {
  return Object.entries(data).flatMap(([table, rows]) =>
    rows.map((row, index) => {
      const [actual, expected] = tables[table]?.(row) ?? ['no such table', undefined];
      if (isDeepStrictEqual(actual, expected)) return undefined;
      return `${table} ${row.name ?? index}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`;
    }),
  );
}

function throws(action: () => void): boolean {
  try {
    action();
    return false;
  } catch {
    return true;
  }
}

/** The table has the first letter of each name in lower case. */
function lowerInitials(record: Strings): Strings {
  return Object.fromEntries(
    Object.entries(record).map(([key, value]) => [key[0]!.toLowerCase() + key.slice(1), value]),
  );
}

function namesOf(text: string): unknown {
  const status = parseStatus(text);
  const named = (names: readonly string[]) => names.map((name) => ({ name }));
  return status ? { containers: named(status.containers), initContainers: named(status.initContainers) } : {};
}
