export { Child, type ChildOptions } from './child.ts';
export { ControlPlaneProcess, type ControlPlanePorts } from './control-plane-process.ts';
export { type ConfigDump, type DumpedResources, EnvoyAdmin } from './envoy-admin.ts';
export { freePorts } from './free-ports.ts';
export { getJson, getText } from './http.ts';
export { descendantsOf, isAlive } from './processes.ts';
export { Proxy, type ProxyOptions } from './proxy.ts';
export { Traffic } from './traffic.ts';
export { until, type UntilOptions } from './until.ts';
