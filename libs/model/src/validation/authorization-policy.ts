import type { AuthorizationOperation, AuthorizationRule, AuthorizationSource } from '../kinds/authorization-policy.ts';
import type { ConfigOf } from '../kinds/config.ts';
import {
  type ValueRule,
  attributeProblem,
  notEmpty,
  numericPort,
  pathTemplate,
  serviceAccount,
  subnet,
  trustDomain,
  validateValues,
} from './authorization-values.ts';
import type { Issues } from './issues.ts';
import { validatePolicyTarget } from './workload-selector.ts';

/** What a field of a source or an operation may hold. */
interface FieldRule {
  readonly rule: ValueRule;
  /** Whether it is known of the connection, so that it can be matched for TCP too. */
  readonly tcp?: true;
  /** Whether external authorizers (action CUSTOM) cannot be told of it. */
  readonly notWithCustom?: true;
}

const SOURCE: Readonly<Record<keyof AuthorizationSource, FieldRule>> = both({
  principals: { rule: notEmpty, tcp: true, notWithCustom: true },
  requestPrincipals: { rule: notEmpty, notWithCustom: true },
  namespaces: { rule: notEmpty, tcp: true, notWithCustom: true },
  serviceAccounts: { rule: serviceAccount, tcp: true, notWithCustom: true },
  trustDomains: { rule: trustDomain, notWithCustom: true },
  ipBlocks: { rule: subnet, tcp: true },
  remoteIpBlocks: { rule: subnet, tcp: true },
});

const OPERATION: Readonly<Record<keyof AuthorizationOperation, FieldRule>> = both({
  hosts: { rule: notEmpty },
  ports: { rule: numericPort, tcp: true },
  methods: { rule: notEmpty },
  paths: { rule: pathTemplate },
});

/** Each field and its negation, `ports` and `notPorts`. */
function both<K extends string>(
  rules: Readonly<Record<K, FieldRule>>,
): Readonly<Record<K | `not${Capitalize<K>}`, FieldRule>> {
  const negated = Object.entries<FieldRule>(rules).map(([field, rule]) => [
    `not${field.charAt(0).toUpperCase()}${field.slice(1)}`,
    rule,
  ]);
  return { ...rules, ...Object.fromEntries(negated) } as Record<K | `not${Capitalize<K>}`, FieldRule>;
}

const CONDITIONS_NOT_WITH_CUSTOM = /^(?:source\.(?:namespace|serviceAccount|trustDomain|principal)$|request\.auth\.)/;

export function validateAuthorizationPolicy(issues: Issues, { spec }: ConfigOf<'AuthorizationPolicy'>): void {
  const { action = 'ALLOW', rules, provider } = spec;
  validatePolicyTarget(issues, spec);
  issues
    .at('rules')
    .errorIf(
      rules.length === 0 && (action === 'DENY' || action === 'CUSTOM'),
      'required',
      `without rules a policy with action ${action} matches nothing; an empty rule, {}, matches every request`,
    );
  if (action !== 'CUSTOM')
    issues.at('provider').errorIf(provider !== undefined, 'conflicting-fields', 'is for action CUSTOM only');
  else if (rules.length > 0)
    issues.at('provider', 'name').errorIf(!provider?.name, 'required', 'action CUSTOM needs a provider');
  issues.each('rules', rules, (at, rule) => {
    validateRule(at, rule);
    if (action === 'CUSTOM') forbidUnsupported(at, rule);
    at.warnIf(
      action === 'DENY' && deniesAllTcp(rule),
      'denies-all-tcp',
      'has only attributes of HTTP, so it denies all traffic of TCP ports; name the ports that it is for',
    );
  });
}

function validateRule(issues: Issues, rule: AuthorizationRule): void {
  issues.each('from', rule.from, (at, { source }) => {
    if (source === undefined) at.error('required', 'needs a source');
    else validateSource(at.at('source'), source);
  });
  issues.each('to', rule.to, (at, { operation }) => {
    if (operation === undefined) at.error('required', 'needs an operation');
    else validateFields(at.at('operation'), operation, OPERATION);
  });
  issues.each('when', rule.when, (at, { key, values, notValues }) => {
    if (key === '') at.at('key').error('required', 'needs a key');
    else if (values.length + notValues.length === 0) at.error('required', 'needs values or notValues');
    else {
      at.at('key').check('invalid-condition', attributeProblem(key));
      for (const [field, list] of Object.entries({ values, notValues })) validateValues(at.at(field), list, key);
    }
  });
}

function validateSource(issues: Issues, source: AuthorizationSource): void {
  const isSet = (field: keyof AuthorizationSource): boolean => source[field].length > 0;
  issues.errorIf(
    (isSet('serviceAccounts') || isSet('notServiceAccounts')) &&
      (['principals', 'notPrincipals', 'namespaces', 'notNamespaces'] as const).some(isSet),
    'conflicting-fields',
    'serviceAccounts cannot be combined with namespaces or principals',
  );
  validateFields(issues, source, SOURCE);
}

type Lists<K extends string> = Readonly<Record<K, readonly string[]>>;

function fieldsOf<K extends string>(lists: Lists<K>, rules: Readonly<Record<K, FieldRule>>): [K, FieldRule][] {
  return (Object.entries(rules) as [K, FieldRule][]).filter(([field]) => lists[field].length > 0);
}

function validateFields<K extends string>(
  issues: Issues,
  lists: Lists<K>,
  rules: Readonly<Record<K, FieldRule>>,
): void {
  const set = fieldsOf(lists, rules);
  issues.errorIf(set.length === 0, 'empty', 'must not be empty');
  for (const [field, { rule }] of set) rule(issues.at(field), lists[field]);
}

function forbidUnsupported(issues: Issues, { from, when }: AuthorizationRule): void {
  const message = 'is not supported with action CUSTOM';
  issues.each('from', from, (at, { source }) => {
    for (const [field, { notWithCustom }] of source ? fieldsOf(source, SOURCE) : []) {
      at.at('source', field).errorIf(notWithCustom === true, 'unsupported', message);
    }
  });
  issues.each('when', when, (at, { key }) =>
    at.at('key').errorIf(CONDITIONS_NOT_WITH_CUSTOM.test(key), 'unsupported', message),
  );
}

/** Attributes of HTTP are left out for TCP ports, and a rule that then asks for nothing denies everything. */
function deniesAllTcp({ from, to }: AuthorizationRule): boolean {
  const sources = from.flatMap(({ source }) => source ?? []);
  const operations = to.flatMap(({ operation }) => operation ?? []);
  const knows = <K extends string>(lists: Lists<K>, rules: Readonly<Record<K, FieldRule>>): boolean =>
    fieldsOf(lists, rules).some(([, { tcp }]) => tcp);
  if (operations.length > 0) return !operations.some((operation) => knows(operation, OPERATION));
  return sources.length > 0 && !sources.some((source) => knows(source, SOURCE));
}
