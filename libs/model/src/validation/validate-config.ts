import type { Diagnostic } from '../diagnostic.ts';
import type { Config, ConfigOf } from '../kinds/config.ts';
import { type ConfigKind, lookupKind } from '../kinds/registry.ts';
import { Reporter, type Where } from '../parse/reporter.ts';
import { validateAuthorizationPolicy } from './authorization-policy.ts';
import { validateDestinationRule } from './destination-rule.ts';
import { type CheckEnvoyMessage, validateEnvoyFilter } from './envoy-filter.ts';
import { validateGateway } from './gateway.ts';
import { Issues } from './issues.ts';
import { validateMetadata } from './metadata.ts';
import { validatePeerAuthentication } from './peer-authentication.ts';
import { validateProxyConfig } from './proxy-config.ts';
import { validateRequestAuthentication } from './request-authentication.ts';
import { validateServiceEntry } from './service-entry.ts';
import { validateSidecar } from './sidecar.ts';
import { validateTelemetry } from './telemetry.ts';
import { validateTrafficExtension } from './traffic-extension.ts';
import { validateVirtualService } from './virtual-service.ts';
import { validateWasmPlugin } from './wasm-plugin.ts';
import { validateWorkloadEntryConfig } from './workload-entry.ts';
import { validateWorkloadGroup } from './workload-group.ts';

export interface ValidationOptions {
  /** Gives the diagnostics their lines. */
  readonly where?: Where;
  /** Checks the values of EnvoyFilter patches; without it their content is not looked at. */
  readonly checkEnvoyMessage?: CheckEnvoyMessage;
}

type KindValidator<C> = (issues: Issues, config: C, options: ValidationOptions) => void;

const validators: { readonly [K in ConfigKind]: KindValidator<ConfigOf<K>> } = {
  AuthorizationPolicy: validateAuthorizationPolicy,
  DestinationRule: validateDestinationRule,
  EnvoyFilter: (issues, config, { checkEnvoyMessage }) => validateEnvoyFilter(issues, config, checkEnvoyMessage),
  Gateway: validateGateway,
  PeerAuthentication: validatePeerAuthentication,
  ProxyConfig: validateProxyConfig,
  RequestAuthentication: validateRequestAuthentication,
  ServiceEntry: validateServiceEntry,
  Sidecar: validateSidecar,
  Telemetry: validateTelemetry,
  TrafficExtension: validateTrafficExtension,
  VirtualService: validateVirtualService,
  WasmPlugin: validateWasmPlugin,
  WorkloadEntry: validateWorkloadEntryConfig,
  WorkloadGroup: validateWorkloadGroup,
};

/**
 * What is wrong (errors) or doubtful (warnings) in a parsed object, beyond what its schema says: the rules by which Istio's
 * webhook accepts it. Looks at nothing but the object. Kinds other than Istio's have no rules here. Never throws.
 */
export function validateConfig(config: Config, options: ValidationOptions = {}): readonly Diagnostic[] {
  const inMetadata = Issues.collect([], (issues) => validateMetadata(issues, config));
  const issues =
    inMetadata.length > 0 ? inMetadata : Issues.collect(['spec'], (spec) => validateSpec(spec, config, options));
  const { kind, namespace, name } = config;
  const reporter = new Reporter({ kind, namespace, name }, options.where ?? wholeObject(config));
  for (const issue of issues) reporter.add(issue.severity, issue);
  return reporter.diagnostics;
}

function validateSpec(issues: Issues, config: Config, options: ValidationOptions): void {
  const info = lookupKind(`${config.group}/${config.version}`, config.kind);
  if (info === undefined) return;
  const validate = validators[info.kind] as KindValidator<never>;
  validate(issues, config as never, options);
}

/** The place of an object of which only its start is known. */
function wholeObject({ source }: Config): Where | undefined {
  return source && { file: source.file, lineOf: () => source.line };
}
