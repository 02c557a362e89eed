import { formatLocality, type Locality } from './locality.ts';
import { type NodeMetadata, parseNodeMetadata } from './node-metadata.ts';
import { isIpAddress } from './validation/address.ts';

/** What kind of data plane a client of the control plane is. */
export type NodeType = 'sidecar' | 'router' | 'waypoint' | 'ztunnel' | 'agentgateway';

const nodeTypes: ReadonlySet<string> = new Set<NodeType>(['sidecar', 'router', 'waypoint', 'ztunnel', 'agentgateway']);

/** Whom the credentials of a connection are for. */
export interface ProxyIdentity {
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** A connected data plane, as far as it told of itself. Never changes while the connection lasts. */
export interface Proxy {
  readonly type: NodeType;
  /** `name.namespace`. */
  readonly id: string;
  /** The whole node id. */
  readonly nodeId: string;
  /** The addresses that it serves, first the primary one. */
  readonly ipAddresses: readonly string[];
  readonly dnsDomain: string;
  /** The namespace whose configuration it gets. */
  readonly configNamespace: string;
  readonly metadata: NodeMetadata;
  /** What the node says; the registry may know better. */
  readonly locality: Locality;
  /** Names of the extensions that its Envoy is built with; empty where it doesn't list them. */
  readonly extensions: ReadonlySet<string>;
  /** The messages by which these are configured; empty where it doesn't list them. */
  readonly extensionTypes: ReadonlySet<string>;
  /** Absent where the connection was not authenticated. */
  readonly identity?: ProxyIdentity;
}

/** The part of Envoy's `core.Node` (in protobuf JSON) that says who the client is. */
export interface NodeDescription {
  readonly id?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly locality?: { readonly region?: string; readonly zone?: string; readonly subZone?: string };
  readonly extensions?: readonly { readonly name?: string; readonly typeUrls?: readonly string[] }[];
}

export type ParsedProxy = { readonly proxy: Proxy } | { readonly problem: string };

/** Reads a node whose id has Istio's form `type~address~name.namespace~domain`. */
export function parseProxy(node: NodeDescription): ParsedProxy {
  const nodeId = node.id ?? '';
  const parts = nodeId.split('~');
  const [type = '', address = '', id = '', dnsDomain = ''] = parts;
  if (parts.length !== 4) return { problem: `node id "${nodeId}" is not of the form type~address~id~domain` };
  if (!isNodeType(type)) return { problem: `node id "${nodeId}" has the unknown node type "${type}"` };
  const metadata = parseNodeMetadata(node.metadata ?? {});
  const ipAddresses = [metadata.instanceIps, [address]].find((ips) => ips.length > 0 && ips.every(isIpAddress));
  if (!ipAddresses) return { problem: `node id "${nodeId}" has no IP address, nor are there any in INSTANCE_IPS` };
  return {
    proxy: {
      type,
      id,
      nodeId,
      ipAddresses,
      dnsDomain,
      configNamespace: metadata.namespace || id.slice(id.lastIndexOf('.') + 1),
      metadata,
      locality: {
        region: node.locality?.region ?? '',
        zone: node.locality?.zone ?? '',
        subzone: node.locality?.subZone ?? '',
      },
      extensions: new Set((node.extensions ?? []).flatMap(({ name }) => (name ? [name] : []))),
      extensionTypes: new Set((node.extensions ?? []).flatMap(({ typeUrls = [] }) => typeUrls.map(typeOfUrl))),
    },
  };
}

const typeOfUrl = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

function isNodeType(type: string): type is NodeType {
  return nodeTypes.has(type);
}

export const proxyLocality = (proxy: Proxy): string => formatLocality(proxy.locality);
