import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  insertPlugin,
  type InstallOptions,
  type JsonObject,
  planConfig,
  podRedirection,
  printConfig,
} from '@kedge/cni';
import {
  ambientHostRuleset,
  ambientPodRuleset,
  applyIptables,
  commandArguments,
  defaultHostProbeAddress,
  defaultSidecarSettings,
  nftTransaction,
  parseSidecarSettings,
  restoreLines,
  restoreText,
  ruleLines,
  type Ruleset,
  type Run,
  type SidecarSettings,
  sidecarRuleset,
  type Variant,
} from '@kedge/netfilter';
import { parse } from 'yaml';
import type { PeerResult } from '../peer.ts';

export interface NetfilterCase {
  readonly id: string;
  readonly group: string;
  readonly scope?: 'pod' | 'host';
  readonly operation?: 'insert' | 'create';
  readonly options?: Readonly<Record<string, unknown>>;
  readonly podOverrides?: {
    readonly IngressMode?: boolean;
    readonly VirtualInterfaces?: readonly string[];
    readonly DNSProxy?: 'enabled' | 'disabled';
  };
  readonly operations?: readonly BuilderOperation[];
  readonly input?: {
    readonly existing?: string;
    readonly new?: string;
    readonly directory?: Readonly<Record<string, string>>;
  };
  readonly expected?: unknown;
  readonly expectedFile?: string;
  readonly expectedFailure?: boolean;
}

interface BuilderOperation {
  readonly op: string;
  readonly chain: string;
  readonly table: string;
  readonly position?: number;
  readonly rule: readonly string[];
}

/** Reads an expected or input file of the data. */
type Read = (name: string) => string;

/** What a case gives and what it should give, as texts that are equal if the case is. */
interface Outcome {
  readonly actual: string;
  readonly expected: string;
}

const groups: Readonly<Record<string, (of: NetfilterCase, read: Read) => Outcome | Promise<Outcome>>> = {
  'sidecar-iptables': async (of, read) => ({
    actual: await recorded(sidecarRuleset(sidecarOptions(settingsOf(of))), true),
    expected: expectedText(of, read),
  }),
  'sidecar-nftables': (of, read) => ({
    actual: nftTransaction(sidecarRuleset(sidecarOptions(settingsOf(of)))),
    expected: expectedText(of, read),
  }),
  'ambient-iptables': async (of, read) => ({
    actual: await recorded(ambientRuleset(of), false),
    expected: expectedText(of, read),
  }),
  'ambient-nftables': (of, read) => ({ actual: nftTransaction(ambientRuleset(of)), expected: expectedText(of, read) }),
  'cni-plugin-iptables': async (of, read) => ({
    actual: byTable(await recorded(sidecarRuleset(sidecarOptions(podSettings(of))), true)),
    expected: byTable(expectedText(of, read)),
  }),
  'cni-config': configOutcome,
  'builder-iptables': builtIptables,
  'builder-nftables': builtNft,
};

/** The cases, and what reads the files that they name. */
export function readCases(dir: string): { readonly cases: readonly NetfilterCase[]; readonly read: Read } {
  const read: Read = (name) => readFileSync(join(dir, name), 'utf8');
  return { ...(parse(read('cases.yaml')) as { readonly cases: readonly NetfilterCase[] }), read };
}

export async function runNetfilter(dir: string): Promise<PeerResult> {
  const { cases, read } = readCases(dir);
  const failures: string[] = [];
  for (const each of cases) {
    const failure = await problemOf(each, read);
    if (failure !== undefined) failures.push(`${each.id}: ${failure}`);
  }
  return { cases: cases.length, equal: cases.length - failures.length, failures };
}

async function problemOf(of: NetfilterCase, read: Read): Promise<string | undefined> {
  const run = groups[of.group];
  if (run === undefined) return `unknown group ${of.group}`;
  try {
    const { actual, expected } = await run(of, read);
    return actual.trim() === expected.trim() ? undefined : firstDifference(actual.trim(), expected.trim());
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function firstDifference(actual: string, expected: string): string {
  const [ours, theirs] = [actual.split('\n'), expected.split('\n')];
  const line = theirs.findIndex((text, index) => text !== ours[index]);
  const at = line < 0 ? theirs.length : line;
  return `line ${at + 1}: expected ${JSON.stringify(theirs[at] ?? null)}, got ${JSON.stringify(ours[at] ?? null)}`;
}

function expectedText({ expected }: NetfilterCase, read: Read): string {
  return read(expected as string);
}

/** The data's option names. */
const settingNames: Readonly<Record<string, keyof SidecarSettings>> = {
  ProxyPort: 'proxyPort',
  InboundCapturePort: 'inboundCapturePort',
  InboundTunnelPort: 'inboundTunnelPort',
  ProxyUID: 'proxyUid',
  ProxyGID: 'proxyGid',
  InboundInterceptionMode: 'inboundInterceptionMode',
  InboundTProxyMark: 'inboundTproxyMark',
  InboundTProxyRouteTable: 'inboundTproxyRouteTable',
  InboundPortsInclude: 'inboundPortsInclude',
  InboundPortsExclude: 'inboundPortsExclude',
  OutboundPortsInclude: 'outboundPortsInclude',
  OutboundPortsExclude: 'outboundPortsExclude',
  OutboundIPRangesInclude: 'outboundRangesInclude',
  OutboundIPRangesExclude: 'outboundRangesExclude',
  OwnerGroupsInclude: 'ownerGroupsInclude',
  OwnerGroupsExclude: 'ownerGroupsExclude',
  ExcludeInterfaces: 'excludeInterfaces',
  RerouteVirtualInterfaces: 'rerouteVirtualInterfaces',
  HostIPv4LoopbackCidr: 'hostIpv4LoopbackCidr',
  DropInvalid: 'dropInvalid',
  RedirectDNS: 'redirectDns',
  CaptureAllDNS: 'captureAllDns',
  EnableIPv6: 'enableIpv6',
  DNSServersV4: 'dnsServersV4',
  DNSServersV6: 'dnsServersV6',
};

/** Options about how the rules are applied, which change none of them. */
const withoutRules = new Set(['DryRun', 'DualStack', 'Reconcile', 'ForceApply', 'NativeNftables', 'NetworkNamespace']);

function settingsOf({ options = {} }: NetfilterCase): SidecarSettings {
  const given = Object.entries(options).filter(([name]) => !withoutRules.has(name));
  const unknown = given.filter(([name]) => !(name in settingNames)).map(([name]) => name);
  if (unknown.length > 0) throw new Error(`unknown options: ${unknown.join(', ')}`);
  return {
    ...defaultSidecarSettings,
    ...Object.fromEntries(given.map(([name, value]) => [settingNames[name]!, value])),
  };
}

function sidecarOptions(settings: SidecarSettings) {
  const result = parseSidecarSettings(settings);
  if (!result.ok) throw new Error(result.problems.join('; '));
  return result.options;
}

/** The data's base address of IPv6 probes, which differs from the default. */
const baseProbeIpv6 = 'e9ac:1e77:90ca:399f:4d6d:ece2:2f9b:3164';

function ambientRuleset({ group, scope, options = {}, podOverrides = {} }: NetfilterCase): Ruleset {
  // The host cases of nft were recorded with the base address, although their options name another.
  const ipv6 = group === 'ambient-nftables' ? undefined : (options.HostProbeV6SNATAddress as string | undefined);
  const ambient = {
    enableIpv6: options.EnableIPv6 === true,
    redirectDns: options.RedirectDNS === true,
    hostProbeAddress: {
      ipv4: (options.HostProbeSNATAddress as string | undefined) ?? defaultHostProbeAddress.ipv4,
      ipv6: ipv6 ?? baseProbeIpv6,
    },
  };
  if (scope === 'host') return ambientHostRuleset(ambient, String(options.kubeletUID ?? '0'));
  const { IngressMode, VirtualInterfaces, DNSProxy } = podOverrides;
  return ambientPodRuleset(ambient, {
    ingressMode: IngressMode === true,
    virtualInterfaces: VirtualInterfaces ?? [],
    ...(DNSProxy && { dnsCapture: DNSProxy === 'enabled' }),
  });
}

function podSettings({ options = {} }: NetfilterCase): SidecarSettings {
  const { annotations, proxyEnv, proxyRunAsUser, proxyRunAsGroup } = options as {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly proxyEnv?: Readonly<Record<string, string>>;
    readonly proxyRunAsUser?: number;
    readonly proxyRunAsGroup?: number;
  };
  const result = podRedirection({
    annotations: annotations ?? {},
    proxyEnv: proxyEnv ?? {},
    proxyUid: proxyRunAsUser,
    proxyGid: proxyRunAsGroup,
  });
  if (!result.ok) throw new Error(result.problem);
  return result.settings;
}

/** The commands that are run where nothing is there yet: queries by name, restores by what they read; and twice the same. */
async function recorded(ruleset: Ruleset, confirm: boolean): Promise<string> {
  const once = await recordOnce(ruleset, confirm);
  if ((await recordOnce(ruleset, confirm)) !== once) throw new Error('the second run differs from the first');
  return once;
}

async function recordOnce(ruleset: Ruleset, confirm: boolean): Promise<string> {
  const lines: string[] = [];
  const run: Run = ({ program, args, input }) => {
    lines.push(input?.trimEnd() ?? [program, ...args].join(' '));
    return Promise.resolve({ code: 0, stdout: '', stderr: '' });
  };
  const variant = (family: Variant['family'], name: string): Variant => ({
    family,
    name,
    locks: false,
    hasRules: false,
  });
  const variants = { ipv4: variant('ipv4', 'iptables'), ipv6: variant('ipv6', 'ip6tables') };
  await applyIptables({ run, variants }, ruleset, { reconcile: false, force: false, confirm });
  return lines.join('\n');
}

/** The text by tables, whatever their order, without the queries. */
function byTable(text: string): string {
  return text
    .split('COMMIT')
    .map((part) => part.split('\n').filter((line) => line !== '' && !/^ip6?tables-save$/.test(line)))
    .filter((lines) => lines[0]?.startsWith('* '))
    .map((lines) => lines.join('\n'))
    .sort()
    .join('\n');
}

function configOutcome(of: NetfilterCase, read: Read): Outcome {
  const { input = {}, expected, expectedFailure, expectedFile, operation, options = {} } = of;
  const expectedConfig = expected === undefined ? '' : printConfig(JSON.parse(read(expected as string)) as JsonObject);
  if (operation === 'insert') {
    const result = insertPlugin(read(input.existing!), JSON.parse(read(input.new!)) as JsonObject);
    if (expectedFailure) return { actual: result.ok ? 'no failure' : 'a failure', expected: 'a failure' };
    return { actual: result.ok ? printConfig(result.config) : result.problem, expected: expectedConfig };
  }
  const files = new Map(Object.entries(input.directory ?? {}).map(([file, source]) => [file, read(source)]));
  const plan = planConfig(files, pluginEntry(options.ambientEnabled === true), installOptions(options));
  if (expectedFile === undefined) return { actual: plan.kind, expected: 'wait' };
  if (plan.kind !== 'write') return { actual: plan.problem, expected: expectedFile };
  const config = printConfig(JSON.parse(plan.content) as JsonObject);
  return { actual: `${plan.file}\n${config}`, expected: `${expectedFile}\n${expectedConfig}` };
}

function installOptions(options: Readonly<Record<string, unknown>>): InstallOptions {
  const isOwned = options.istioOwnedConfig === true && options.ambientEnabled === true && options.chained === true;
  return {
    chained: options.chained === true,
    confName: (options.confName as string | undefined) ?? '',
    ...(isOwned && { ownFile: (options.istioOwnedConfigFilename as string | undefined) ?? '02-istio-conf.conflist' }),
  };
}

/** The entry of the data's installations. */
function pluginEntry(ambientEnabled: boolean): JsonObject {
  return {
    cniVersion: '0.3.1',
    name: 'istio-cni',
    type: 'istio-cni',
    ipam: {},
    dns: {},
    plugin_log_level: 'debug',
    cni_agent_run_dir: '/path/to/kubeconfig',
    ambient_enabled: ambientEnabled,
    enablement_selectors: [],
    exclude_namespaces: null,
    pod_namespace: 'my-namespace',
    native_nftables: false,
    enable_ambient_detection_retry: false,
  };
}

interface BuilderFamily {
  readonly commands: string;
  readonly restore: string;
}

function builtIptables({ operations = [], expected }: NetfilterCase, read: Read): Outcome {
  const families = expected as { readonly v4: BuilderFamily | null; readonly v6: BuilderFamily | null };
  const outcomes = (['v4', 'v6'] as const).map((family): Outcome => {
    const rules = operations
      .filter(({ op }) => op.toLowerCase().endsWith(family) || !/v[46]$/i.test(op))
      .map(({ table, chain, position, rule }) => ({ table, chain, position, words: rule }));
    const files = families[family];
    return {
      actual: [...commandArguments(rules).map((args) => args.join(' ')), restoreText(restoreLines(rules))].join('\n'),
      expected: files === null ? '' : [read(files.commands).trimEnd(), read(files.restore)].join('\n'),
    };
  });
  return {
    actual: outcomes.map(({ actual }) => actual.trim()).join('\n--\n'),
    expected: outcomes.map(({ expected }) => expected.trim()).join('\n--\n'),
  };
}

/** nft applies insertions; the data has the table in the end. */
function builtNft({ operations = [], expected }: NetfilterCase, read: Read): Outcome {
  const rules = operations.map(({ table, chain, position, rule }) => ({
    table,
    chain,
    ...(position !== undefined && { index: position }),
    text: rule.join(' '),
  }));
  const inEffect: string[] = [];
  for (const line of ruleLines(rules)) {
    const [, index, rule] = /^(?:add|insert) rule \S+ \S+ \S+ (?:index (\d+) )?(.*)$/.exec(line)!;
    inEffect.splice(index === undefined ? inEffect.length : Number(index), 0, rule!);
  }
  const dump = [
    'add table inet inet-table',
    'add chain inet inet-table test-chain',
    ...inEffect.map((rule) => `add rule inet inet-table test-chain ${rule}`),
  ];
  return { actual: dump.join('\n'), expected: read(expected as string) };
}
