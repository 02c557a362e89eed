import { formatDuration, parseDuration } from '@kedge/model';
import { defaultSidecarSettings } from '@kedge/netfilter';
import { type Command, InvalidArgumentError, Option } from 'commander';

/** A flag of Istio's: its names, the variables that stand for it, its default. */
interface Flag<T> {
  readonly flag: string;
  readonly short?: string;
  /** The last one that is set counts. */
  readonly env: readonly string[];
  readonly fallback: T;
  /** The value of a text; undefined if it has none. */
  readonly read: (text: string) => T | undefined;
  /** What the help calls the value. */
  readonly value: string;
  readonly description: string;
}

interface Names {
  readonly short?: string;
  readonly also?: readonly string[];
  readonly withoutEnv?: boolean;
}

/** The variable of a flag is its name in capitals. */
function names(flag: string, { short, also = [], withoutEnv }: Names) {
  return { flag, short, env: [...(withoutEnv ? [] : [flag.toUpperCase().replaceAll('-', '_')]), ...also] };
}

const text = (flag: string, fallback: string, description: string, more: Names = {}): Flag<string> => ({
  ...names(flag, more),
  fallback,
  description,
  value: '<string>',
  read: (value) => value,
});

const bool = (flag: string, description: string, more: Names = {}): Flag<boolean> => ({
  ...names(flag, more),
  fallback: false,
  description,
  value: '[bool]',
  read: (value) => (/^(1|t|true)$/i.test(value) ? true : /^(0|f|false)$/i.test(value) ? false : undefined),
});

const port = (flag: string, fallback: number, description: string): Flag<number> => ({
  ...names(flag, {}),
  fallback,
  description,
  value: '<uint16>',
  read: (value) => (/^\d+$/.test(value) && Number(value) <= 65535 ? Number(value) : undefined),
});

/** Milliseconds. */
const duration = (flag: string, fallback: number, description: string): Flag<number> => ({
  ...names(flag, {}),
  fallback,
  description,
  value: '<duration>',
  read: parseDuration,
});

const defaults = defaultSidecarSettings;

const flags = {
  proxyPort: text('envoy-port', defaults.proxyPort, 'port to which outbound TCP traffic is redirected', {
    short: 'p',
    withoutEnv: true,
  }),
  inboundCapturePort: text(
    'inbound-capture-port',
    defaults.inboundCapturePort,
    'port to which inbound TCP traffic is redirected',
    { short: 'z' },
  ),
  inboundTunnelPort: text('inbound-tunnel-port', defaults.inboundTunnelPort, 'port of the tunnel, not redirected', {
    short: 'e',
  }),
  proxyUid: text('proxy-uid', '', 'users whose traffic is not redirected: those of the proxy', { short: 'u' }),
  proxyGid: text('proxy-gid', '', 'groups whose traffic is not redirected (default: as --proxy-uid)', { short: 'g' }),
  inboundInterceptionMode: text('istio-inbound-interception-mode', '', 'REDIRECT or TPROXY', { short: 'm' }),
  inboundPortsInclude: text('istio-inbound-ports', '', 'inbound ports to redirect; "*" for all, empty for none', {
    short: 'b',
  }),
  inboundPortsExclude: text('istio-local-exclude-ports', '', 'inbound ports not to redirect, where all others are', {
    short: 'd',
  }),
  excludeInterfaces: text('istio-exclude-interfaces', '', 'interfaces whose traffic is left alone', { short: 'c' }),
  outboundRangesInclude: text('istio-service-cidr', '', 'outbound IP ranges to redirect; "*" for all, empty for none', {
    short: 'i',
  }),
  outboundRangesExclude: text('istio-service-exclude-cidr', '', 'outbound IP ranges not to redirect', { short: 'x' }),
  outboundPortsInclude: text('istio-outbound-ports', '', 'outbound ports to redirect whatever the address', {
    short: 'q',
  }),
  outboundPortsExclude: text('istio-local-outbound-ports-exclude', '', 'outbound ports not to redirect', {
    short: 'o',
  }),
  rerouteVirtualInterfaces: text(
    'kube-virt-interfaces',
    '',
    'interfaces of virtual machines, whose traffic is outbound',
    {
      short: 'k',
    },
  ),
  inboundTproxyMark: text('istio-inbound-tproxy-mark', defaults.inboundTproxyMark, 'mark of packets for TPROXY', {
    short: 't',
  }),
  inboundTproxyRouteTable: text(
    'istio-inbound-tproxy-route-table',
    defaults.inboundTproxyRouteTable,
    'routing table of marked packets',
    { short: 'r' },
  ),
  dryRun: bool('dry-run', 'print what would be run, and run nothing', { short: 'n' }),
  probePort: port('iptables-probe-port', 15002, 'port that --run-validation connects to'),
  probeTimeoutMs: duration('probe-timeout', 5000, 'time that --run-validation takes at most'),
  skipRuleApply: bool('skip-rule-apply', 'apply no rules'),
  runValidation: bool('run-validation', 'check that traffic is redirected'),
  redirectDns: bool('redirect-dns', 'redirect DNS queries to the agent', { also: ['ISTIO_META_DNS_CAPTURE'] }),
  dropInvalid: bool('drop-invalid', 'drop packets that belong to no connection', { also: ['INVALID_DROP'] }),
  dualStack: bool('dual-stack', 'redirect both IPv4 and IPv6', { also: ['ISTIO_DUAL_STACK'] }),
  captureAllDns: bool('capture-all-dns', "with --redirect-dns: all queries, not only those to the pod's DNS servers"),
  networkNamespace: text('network-namespace', '', 'path of the network namespace to apply the rules in'),
  cniMode: bool('cni-mode', "lock iptables by the pod's namespace rather than by the host's lock"),
  reconcile: bool('reconcile', 'replace rules of an earlier run that differ, rather than fail'),
  cleanupOnly: bool('cleanup-only', 'remove the rules'),
  forceApply: bool('force-apply', 'replace the rules even if they are as they should be'),
  nativeNftables: bool('native-nftables', 'use nft rather than iptables'),
  forceIptablesBinary: text('force-iptables-binary', '', 'the iptables to use: legacy or nft'),
};

type Flags = typeof flags;

/** What the command line and the environment say of redirection. */
export type RedirectionFlags = {
  readonly [K in keyof Flags]: Flags[K] extends Flag<infer T> ? T : never;
};

/** Adds the flags to a command. */
export function addRedirectionFlags(command: Command): Command {
  for (const [key, flag] of allFlags) {
    const option = new Option(`${flag.short ? `-${flag.short}, ` : ''}--${flag.flag} ${flag.value}`, helpOf(flag));
    option.argParser((value: string) => {
      // Of `-u=1337`, which programs written in Go take too.
      const read = flag.read(value.replace(/^=/, ''));
      if (read === undefined) throw new InvalidArgumentError(`It is no ${flag.value.slice(1, -1)}.`);
      return read;
    });
    // The name under which the value is found is ours, not the flag's.
    option.attributeName = () => key;
    command.addOption(option);
  }
  return command;
}

function helpOf({ description, fallback, read }: Flag<unknown>): string {
  const shown = read === parseDuration ? formatDuration(Number(fallback)) : String(fallback);
  return fallback === '' || fallback === false ? description : `${description} (default: ${shown})`;
}

const allFlags = Object.entries(flags) as unknown as readonly (readonly [keyof Flags, Flag<unknown>])[];

/** The values in effect: of the command line, else of the environment, else the defaults. */
export function readRedirectionFlags(
  given: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly flags: RedirectionFlags; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const values = allFlags.map(([key, { env, fallback, read }]) => {
    const ofEnvironment = env.flatMap((name) => {
      const variable = environment[name];
      if (variable === undefined) return [];
      const value = read(variable);
      if (value === undefined && variable !== '')
        warnings.push(`${name}: "${variable}" is not readable; it is ignored`);
      return value === undefined ? [] : [value];
    });
    return [key, given[key] ?? ofEnvironment.at(-1) ?? fallback] as const;
  });
  return { flags: Object.fromEntries(values) as RedirectionFlags, warnings };
}
