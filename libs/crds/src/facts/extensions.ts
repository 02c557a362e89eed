import {
  EnvVar,
  EnvoyFilter,
  EnvoyFilterClusterMatch,
  EnvoyFilterConfigPatch,
  EnvoyFilterFilterChainMatch,
  EnvoyFilterFilterMatch,
  EnvoyFilterListenerMatch,
  EnvoyFilterMatch,
  EnvoyFilterPatch,
  EnvoyFilterProxyMatch,
  EnvoyFilterRouteConfigurationMatch,
  EnvoyFilterRouteMatch,
  EnvoyFilterSubFilterMatch,
  EnvoyFilterVirtualHostMatch,
  EnvoyFilterWaypointFilterMatch,
  EnvoyFilterWaypointMatch,
  EnvoyFilterWaypointRouteMatch,
  EnvoyFilterWaypointSubFilterMatch,
  LuaConfig,
  TrafficExtension,
  TrafficSelector,
  VmConfig,
  WasmConfig,
  WasmPlugin,
  WasmPluginTrafficSelector,
} from '@kedge/model';
import { describe } from './facts.ts';
import { ONE_TARGET, PORT, atMostOneOf, urlWithScheme } from './rules.ts';
import { targets } from './security.ts';

const nullable = true;

const wasm = {
  sha256: { about: 'SHA-256 of the module, in hex; it is then checked.', pattern: '(^$|^[a-f0-9]{64}$)' },
  imagePullPolicy: 'When the module is read again.',
  imagePullSecret: { about: 'Secret with which the registry is asked.', minLength: 1, maxLength: 253 },
  verificationKey: 'Not supported.',
  pluginConfig: 'Configuration that the module is given.',
  pluginName: { about: 'Name by which the module knows itself.', minLength: 1, maxLength: 256 },
  failStrategy: 'What happens to requests when the module fails.',
  vmConfig: 'The machine that runs the module.',
  type: 'Whether it is a filter of HTTP or of the network.',
};
const url = 'Where the module is: oci://, http(s):// or file://; oci where no scheme is given.';

const order = {
  phase: 'Place among the filters.',
  priority: { about: 'Order within the phase, highest first.', nullable } as const,
  match: 'Traffic it is for, any of these; all where it is left out.',
};

const traffic = {
  mode: 'Side of the traffic: as client, as server or both.',
  ports: { about: 'Ports, one of which must match; any where it is left out.', mapKeys: ['number'] },
};

const name = 'Its name.';
const portNumber = 'Number of its port.';
const portName = 'Not supported.';

export const extensions = [
  describe(
    WasmPlugin,
    {
      ...targets,
      ...wasm,
      ...order,
      url: { about: url, minLength: 1, rules: [urlWithScheme(['http', 'https', 'oci', 'file'])] },
    },
    [ONE_TARGET],
  ),
  describe(WasmPluginTrafficSelector, traffic),
  describe(
    TrafficExtension,
    {
      selector: targets.selector,
      targetRefs: targets.targetRefs,
      ...order,
      wasm: 'A Wasm module.',
      lua: 'A Lua script.',
    },
    [
      atMostOneOf(['selector', 'targetRefs'], 'only one of targetRefs or selector can be set'),
      { rule: 'has(self.wasm) != has(self.lua)', message: 'exactly one of wasm or lua must be set' },
    ],
  ),
  describe(TrafficSelector, traffic),
  describe(WasmConfig, {
    ...wasm,
    url: { about: url, minLength: 1, rules: [urlWithScheme(['http', 'https', 'file', 'oci'])] },
  }),
  describe(LuaConfig, { inlineCode: { about: 'The script.', minLength: 1, maxLength: 65536 } }),
  describe(VmConfig, {
    env: { about: 'Environment variables of the module.', maxItems: 256, mapKeys: ['name'] },
  }),
  describe(
    EnvVar,
    {
      name: { about: 'Name of the variable.', minLength: 1, maxLength: 256 },
      valueFrom: 'Whether the value is given here or is that of the proxy.',
      value: { about: 'The value; for INLINE.', maxLength: 2048 },
    },
    [
      {
        rule: '(has(self.valueFrom) ? self.valueFrom : "") != "HOST" || !has(self.value)',
        message: 'value may only be set when valueFrom is INLINE',
      },
    ],
  ),
  describe(
    EnvoyFilter,
    {
      workloadSelector: 'Workloads it is for; all of the namespace where it is left out.',
      targetRefs: targets.targetRefs,
      configPatches: 'Patches, applied in order.',
      priority: 'Order among the objects of a namespace, lowest first; 0 where it is left out.',
    },
    [atMostOneOf(['workloadSelector', 'targetRefs'], 'only one of targetRefs or workloadSelector can be set')],
  ),
  describe(EnvoyFilterConfigPatch, {
    applyTo: 'What is patched.',
    match: 'Where it is patched; everywhere where it is left out.',
    patch: 'The patch.',
  }),
  describe(EnvoyFilterPatch, {
    operation: 'What is done with the value.',
    value: 'The value, as JSON of the Envoy type.',
    filterClass: 'Place among the filters, for ADD.',
  }),
  describe(
    EnvoyFilterMatch,
    {
      context: 'Kind of proxy or listener.',
      proxy: 'The proxy.',
      listener: 'The listener.',
      routeConfiguration: 'The route configuration.',
      cluster: 'The cluster.',
      waypoint: 'The place within a waypoint.',
    },
    [
      {
        rule:
          'has(self.context) ? ((self.context == "WAYPOINT") ? has(self.waypoint) : !has(self.waypoint)) : ' +
          '!has(self.waypoint)',
        message: 'only support waypointMatch when context is WAYPOINT',
      },
    ],
  ),
  describe(EnvoyFilterProxyMatch, {
    proxyVersion: 'Regular expression for the version of the proxy.',
    metadata: 'Node metadata that the proxy must have, all of them.',
  }),
  describe(EnvoyFilterListenerMatch, {
    portNumber,
    portName,
    filterChain: 'Its filter chain.',
    listenerFilter: 'Name of a listener filter.',
    name,
  }),
  describe(EnvoyFilterFilterChainMatch, {
    name,
    sni: 'Server name it is for.',
    transportProtocol: 'Transport protocol it is for, e.g. tls.',
    applicationProtocols: 'Application protocols it is for, separated by commas.',
    filter: 'Its network filter.',
    destinationPort: 'Port it is for.',
    transportSocket: 'Name of its transport socket.',
  }),
  describe(EnvoyFilterFilterMatch, { name, subFilter: 'Filter within it.' }),
  describe(EnvoyFilterSubFilterMatch, { name }),
  describe(EnvoyFilterRouteConfigurationMatch, {
    portNumber,
    portName: 'Name of the port of the gateway server.',
    gateway: 'Gateway it is made from, as namespace/name.',
    vhost: 'Its virtual host.',
    name,
  }),
  describe(EnvoyFilterVirtualHostMatch, { name, domainName: 'One of its domains.', route: 'Its route.' }),
  describe(EnvoyFilterRouteMatch, { name, action: 'What it does.' }),
  describe(EnvoyFilterClusterMatch, {
    portNumber,
    service: 'Name of its service, fully qualified.',
    subset: 'Its subset.',
    name: 'Its name, in place of the other fields.',
  }),
  describe(EnvoyFilterWaypointMatch, {
    portNumber: { about: 'Port of the service.', rules: [PORT] },
    route: 'The route.',
    filter: 'The filter.',
  }),
  describe(EnvoyFilterWaypointRouteMatch, { name }),
  describe(EnvoyFilterWaypointFilterMatch, { name, subFilter: 'Filter within it.' }),
  describe(EnvoyFilterWaypointSubFilterMatch, { name }),
];
