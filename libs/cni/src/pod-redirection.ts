import { defaultSidecarSettings, parseRange, type SidecarSettings } from '@kedge/netfilter';

/** What a pod says about the redirection of its traffic. */
export interface PodFacts {
  readonly annotations: Readonly<Record<string, string>>;
  /** Of the proxy's container. */
  readonly proxyEnv: Readonly<Record<string, string>>;
  readonly proxyUid?: number;
  readonly proxyGid?: number;
}

export type PodRedirectionResult =
  | {
      readonly ok: true;
      readonly settings: SidecarSettings;
      readonly dualStack: boolean;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly problem: string };

const statusPort = '15020';
/** Ports of the proxy that are asked from outside in clear: merged metrics, health, Envoy's metrics. */
const proxyPorts = [statusPort, '15021', '15090'];

type Check = (value: string) => string | undefined;

/** The settings that a pod's annotations and its proxy's environment give; what isn't said has its default. */
export function podRedirection({ annotations, proxyEnv, proxyUid, proxyGid }: PodFacts): PodRedirectionResult {
  const problems: string[] = [];
  const warnings: string[] = [];
  const read = (name: string, fallback: string, check: Check): string => {
    const value = annotations[name];
    if (value === undefined) return fallback;
    const problem = check(value);
    if (problem !== undefined) problems.push(`annotation ${name}: ${problem}`);
    return value;
  };
  const flag = (name: string): boolean => {
    const value = proxyEnv[name];
    if (value === undefined) return false;
    if (!/^([01tf]|true|false)$/i.test(value)) warnings.push(`${name}="${value}" is neither true nor false`);
    return /^(1|t|true)$/i.test(value);
  };
  const traffic = 'traffic.sidecar.istio.io';
  // A proxy never runs as root.
  const id = (value: number | undefined, fallback: string) => (value ? String(value) : fallback);
  const capturesDns = flag('ISTIO_META_DNS_CAPTURE');
  const virtualInterfaces = 'istio.io/reroute-virtual-interfaces';

  const settings: SidecarSettings = {
    ...defaultSidecarSettings,
    proxyUid: id(proxyUid, defaultSidecarSettings.proxyUid),
    proxyGid: id(proxyGid, defaultSidecarSettings.proxyGid),
    inboundInterceptionMode: read('sidecar.istio.io/interceptionMode', 'REDIRECT', interceptionMode),
    outboundRangesInclude: read(`${traffic}/includeOutboundIPRanges`, '*', orAll(cidrs)),
    outboundRangesExclude: read(`${traffic}/excludeOutboundIPRanges`, '', cidrs),
    inboundPortsInclude: read(`${traffic}/includeInboundPorts`, '*', orAll(ports)),
    inboundPortsExclude: withProxyPorts(read(`${traffic}/excludeInboundPorts`, statusPort, orAll(ports))),
    outboundPortsInclude: read(`${traffic}/includeOutboundPorts`, '', orAll(ports)),
    outboundPortsExclude: read(`${traffic}/excludeOutboundPorts`, statusPort, orAll(ports)),
    excludeInterfaces: read(`${traffic}/excludeInterfaces`, '', interfaceNames),
    // The second name is the older one.
    rerouteVirtualInterfaces:
      virtualInterfaces in annotations
        ? read(virtualInterfaces, '', interfaceNames)
        : read(`${traffic}/kubevirtInterfaces`, '', interfaceNames),
    redirectDns: capturesDns,
    // The pod's DNS servers can't be known here.
    captureAllDns: capturesDns,
    dropInvalid: flag('INVALID_DROP'),
  };
  const dualStack = flag('ISTIO_DUAL_STACK');
  if (problems.length > 0) return { ok: false, problem: problems.join('; ') };
  return { ok: true, settings, dualStack, warnings };
}

const interceptionMode: Check = (mode) =>
  mode === 'REDIRECT' || mode === 'TPROXY' ? undefined : `"${mode}" is neither REDIRECT nor TPROXY`;

function orAll(check: Check): Check {
  return (value) => (value === '*' ? undefined : check(value));
}

const items = (list: string): readonly string[] =>
  list.trim() === '' ? [] : list.split(',').map((item) => item.trim());

function each(list: string, isValid: (item: string) => boolean, what: string): string | undefined {
  const bad = items(list).find((item) => !isValid(item));
  return bad === undefined ? undefined : `"${bad}" is not ${what}`;
}

const ports: Check = (list) => each(list, (port) => /^\d+$/.test(port) && Number(port) <= 65535, 'a port');
const interfaceNames: Check = (list) =>
  each(list, (name) => /^[a-z][\w.-]{0,14}$/i.test(name), 'the name of an interface');
const cidrs: Check = (list) => each(list, (cidr) => parseRange(cidr) !== undefined, 'an address range');

function withProxyPorts(excluded: string): string {
  return [...new Set([...excluded.split(',').map((port) => port.trim()), ...proxyPorts])]
    .filter((port) => port !== '')
    .join(',');
}
