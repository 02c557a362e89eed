import { type Of, enumeration, list, message, required } from '../parse/message.ts';
import { string } from '../parse/scalars.ts';
import { PolicyTargetReference, WorkloadSelector } from './selector.ts';

export const AuthorizationSource = message({
  principals: list(string),
  notPrincipals: list(string),
  requestPrincipals: list(string),
  notRequestPrincipals: list(string),
  namespaces: list(string),
  notNamespaces: list(string),
  serviceAccounts: list(string),
  notServiceAccounts: list(string),
  ipBlocks: list(string),
  notIpBlocks: list(string),
  remoteIpBlocks: list(string),
  notRemoteIpBlocks: list(string),
  trustDomains: list(string),
  notTrustDomains: list(string),
});
export type AuthorizationSource = Of<typeof AuthorizationSource>;

export const AuthorizationRuleFrom = message({
  source: AuthorizationSource,
});
export type AuthorizationRuleFrom = Of<typeof AuthorizationRuleFrom>;

export const AuthorizationOperation = message({
  hosts: list(string),
  notHosts: list(string),
  ports: list(string),
  notPorts: list(string),
  methods: list(string),
  notMethods: list(string),
  paths: list(string),
  notPaths: list(string),
});
export type AuthorizationOperation = Of<typeof AuthorizationOperation>;

export const AuthorizationRuleTo = message({
  operation: AuthorizationOperation,
});
export type AuthorizationRuleTo = Of<typeof AuthorizationRuleTo>;

export const AuthorizationCondition = message({
  key: required(string, ''),
  values: list(string),
  notValues: list(string),
});
export type AuthorizationCondition = Of<typeof AuthorizationCondition>;

export const AuthorizationRule = message({
  from: list(AuthorizationRuleFrom),
  to: list(AuthorizationRuleTo),
  when: list(AuthorizationCondition),
});
export type AuthorizationRule = Of<typeof AuthorizationRule>;

export const AuthorizationPolicyAction = enumeration(['ALLOW', 'DENY', 'AUDIT', 'CUSTOM']);
export type AuthorizationPolicyAction = Of<typeof AuthorizationPolicyAction>;

export const AuthorizationPolicyExtensionProvider = message({
  name: string,
});
export type AuthorizationPolicyExtensionProvider = Of<typeof AuthorizationPolicyExtensionProvider>;

/** Who may do what at the selected workloads: allow, deny, audit, or ask an external authorizer. */
export const AuthorizationPolicy = message(
  {
    selector: WorkloadSelector,
    targetRef: PolicyTargetReference,
    targetRefs: list(PolicyTargetReference),
    rules: list(AuthorizationRule),
    action: AuthorizationPolicyAction,
    provider: AuthorizationPolicyExtensionProvider,
  },
  // One oneof in the API, though with a single member.
  ['provider'],
);
export type AuthorizationPolicy = Of<typeof AuthorizationPolicy>;
