import { parse } from 'yaml';
import { isQuantity } from './quantity.ts';

/** An annotation whose value cannot be used; the message names it. */
export class AnnotationError extends Error {
  override readonly name = 'AnnotationError';
}

type Check = (value: string) => boolean;

const items = (value: string): readonly string[] => value.split(',').map((item) => item.trim());

/** A list may be empty; where `*` is allowed it stands for everything, alone. */
const listOf =
  (isItem: Check, allowsAny = false): Check =>
  (value) =>
    value === '' || (allowsAny && value === '*') || items(value).every(isItem);

const isUnsigned: Check = (value) => /^\d+$/.test(value) && Number(value) <= 0xffff_ffff;
const isPort: Check = (value) => isUnsigned(value) && Number(value) <= 65_535;
const isInterface: Check = (value) => value !== '' && !/\s/.test(value);
const isCidr: Check = (value) => {
  const [address = '', bits, ...rest] = value.split('/');
  const isV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/.test(address) && address.split('.').every((part) => Number(part) < 256);
  const isV6 = address.includes(':') && URL.canParse(`http://[${address}]`);
  return rest.length === 0 && isUnsigned(bits ?? '') && Number(bits) <= (isV4 ? 32 : 128) && (isV4 || isV6);
};
const isMode: Check = (value) => ['REDIRECT', 'TPROXY', 'NONE'].includes(value);
const isBool: Check = (value) => /^(?:1|t|T|TRUE|true|True|0|f|F|FALSE|false|False)$/.test(value);
const isYamlMap: Check = (value) => {
  try {
    const parsed: unknown = parse(value);
    return parsed === null || (typeof parsed === 'object' && !Array.isArray(parsed));
  } catch {
    return false;
  }
};

const CHECKS: Readonly<Record<string, Check>> = {
  'sidecar.istio.io/interceptionMode': isMode,
  'sidecar.istio.io/proxyCPU': isQuantity,
  'sidecar.istio.io/proxyCPULimit': isQuantity,
  'sidecar.istio.io/proxyMemory': isQuantity,
  'sidecar.istio.io/proxyMemoryLimit': isQuantity,
  'status.sidecar.istio.io/port': isPort,
  'readiness.status.sidecar.istio.io/initialDelaySeconds': isUnsigned,
  'readiness.status.sidecar.istio.io/periodSeconds': isUnsigned,
  'readiness.status.sidecar.istio.io/failureThreshold': isUnsigned,
  'readiness.status.sidecar.istio.io/applicationPorts': listOf(isPort),
  'traffic.sidecar.istio.io/includeOutboundIPRanges': listOf(isCidr, true),
  'traffic.sidecar.istio.io/excludeOutboundIPRanges': listOf(isCidr),
  'traffic.sidecar.istio.io/includeInboundPorts': listOf(isPort, true),
  'traffic.sidecar.istio.io/excludeInboundPorts': listOf(isPort),
  'traffic.sidecar.istio.io/includeOutboundPorts': listOf(isPort),
  'traffic.sidecar.istio.io/excludeOutboundPorts': listOf(isPort),
  'traffic.sidecar.istio.io/excludeInterfaces': listOf(isInterface),
  'traffic.sidecar.istio.io/kubevirtInterfaces': listOf(isInterface),
  'istio.io/reroute-virtual-interfaces': listOf(isInterface),
  'prometheus.istio.io/merge-metrics': isBool,
  'proxy.istio.io/config': isYamlMap,
};

/** Annotations that have another name as a value of the installation. */
const OPTIONS: Readonly<Record<string, string>> = {
  'traffic.sidecar.istio.io/includeOutboundIPRanges': 'includeIPRanges',
  'traffic.sidecar.istio.io/excludeOutboundIPRanges': 'excludeIPRanges',
};

/** Throws an AnnotationError for the first annotation that the injector reads but cannot use. */
export function checkAnnotations(annotations: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(annotations)) {
    if (CHECKS[name]?.(value) !== false) continue;
    const option = OPTIONS[name];
    const what = option === undefined ? name : `${name} (${option})`;
    throw new AnnotationError(`annotation ${what} has an invalid value: "${value}"`);
  }
}
