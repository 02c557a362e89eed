import type { ConfigOf, Diagnostic } from '@kedge/model';
import { finding } from './rbac.ts';
import { isOfMesh, namesTrustDomain, trustDomainOf } from './trust-domains.ts';

/** Principals of trust domains that the mesh knows nothing of: they may be meant, or be a slip after a domain was renamed. */
export function foreignPrincipals(
  policy: ConfigOf<'AuthorizationPolicy'>,
  trustDomains: readonly string[],
): readonly Diagnostic[] {
  return principalsIn(policy).flatMap(({ field, values }) =>
    values.flatMap((principal, at) => {
      const domain = trustDomainOf(principal);
      if (domain === undefined || !namesTrustDomain(principal) || isOfMesh(domain, trustDomains)) return [];
      const message = `the trust domain "${domain}" is neither the mesh's own nor an alias of it`;
      return [finding(policy, 'warning', 'foreign-trust-domain', `${field}[${at}]`, message)];
    }),
  );
}

interface Values {
  readonly field: string;
  readonly values: readonly string[];
}

function principalsIn({ spec }: ConfigOf<'AuthorizationPolicy'>): readonly Values[] {
  return spec.rules.flatMap(({ from, when }, at) => {
    const rule = `spec.rules[${at}]`;
    return [
      ...from.flatMap(({ source }, i) => [
        { field: `${rule}.from[${i}].source.principals`, values: source?.principals ?? [] },
        { field: `${rule}.from[${i}].source.notPrincipals`, values: source?.notPrincipals ?? [] },
      ]),
      ...when.flatMap(({ key, values, notValues }, i) =>
        key === 'source.principal'
          ? [
              { field: `${rule}.when[${i}].values`, values },
              { field: `${rule}.when[${i}].notValues`, values: notValues },
            ]
          : [],
      ),
    ];
  });
}
