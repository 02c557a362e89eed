import { PolicyTargetReference, WorkloadLabelSelector, WorkloadPortSelector, WorkloadSelector } from '@kedge/model';
import { describe } from './facts.ts';
import { NO_WILDCARD_IN_SELECTOR } from './rules.ts';

/** Most objects that one policy may be attached to. */
export const MAX_TARGETS = 16;

const SUBDOMAIN_OR_NONE = '^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';
const KIND = '^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$';

export const selectors = [
  describe(WorkloadSelector, {
    matchLabels: {
      about: 'Labels that a workload must have, all of them.',
      maxProperties: 4096,
      rules: [
        { rule: 'self.all(key, !key.contains("*"))', message: 'wildcard not allowed in label key match' },
        { rule: 'self.all(key, key.size() != 0)', message: 'key must not be empty' },
      ],
      element: {
        maxLength: 63,
        rules: [{ rule: '!self.contains("*")', message: 'wildcard not allowed in label value match' }],
      },
    },
  }),
  describe(WorkloadLabelSelector, {
    labels: {
      about: 'Labels that a workload must have, all of them.',
      maxProperties: 256,
      element: { maxLength: 63, rules: [NO_WILDCARD_IN_SELECTOR] },
    },
  }),
  describe(PolicyTargetReference, {
    group: { about: 'API group of the object; empty for the core group.', maxLength: 253, pattern: SUBDOMAIN_OR_NONE },
    kind: { about: 'Kind of the object, e.g. Gateway or Service.', minLength: 1, maxLength: 63, pattern: KIND },
    name: { about: 'Name of the object.', minLength: 1, maxLength: 253 },
    namespace: {
      about: "Must be left out: the object is in the policy's own namespace.",
      rules: [{ rule: 'self.size() == 0', message: 'cross namespace referencing is not currently supported' }],
    },
  }),
  describe(WorkloadPortSelector, {
    number: { about: 'Number of the port.', minimum: 1, maximum: 65535 },
  }),
];
