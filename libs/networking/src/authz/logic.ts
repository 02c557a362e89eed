import type { Permission, Principal } from '@kedge/envoy-api';

/** How tests are combined: RBAC has the same operators for what is done and for who does it, under different names. */
export interface Logic<T> {
  readonly any: T;
  and(tests: readonly T[]): T;
  or(tests: readonly T[]): T;
  not(test: T): T;
}

export const permissionLogic: Logic<Permission> = {
  any: { any: true },
  and: (rules) => ({ andRules: { rules } }),
  or: (rules) => ({ orRules: { rules } }),
  not: (notRule) => ({ notRule }),
};

export const principalLogic: Logic<Principal> = {
  any: { any: true },
  and: (ids) => ({ andIds: { ids } }),
  or: (ids) => ({ orIds: { ids } }),
  not: (notId) => ({ notId }),
};
