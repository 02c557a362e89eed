import { isIpAddress } from './address.ts';
import { isDnsLabel, partialWildcardProblem, wildcardDomainProblem } from './dns.ts';
import { type Issues, type Problem, quote } from './issues.ts';

/** The host of a gateway's server: `host` or `namespace/host`. `allowNone`: the namespace may be `~`, none at all. */
export function validateGatewayHost(issues: Issues, host: string, allowNone: boolean): void {
  const parts = splitNamespace(host);
  if (parts === undefined) {
    checkHost(issues, host, isIpAddress(host));
    return;
  }
  const { namespace, name } = parts;
  const fine = namespace === '*' || namespace === '.' || (allowNone && namespace === '~') || isDnsLabel(namespace);
  issues.check('invalid-namespace', fine ? undefined : namespaceProblem(namespace));
  checkHost(issues, name, isIpAddress(name));
}

/** The host of an egress listener: `namespace/host`, or `~namespace/host` to leave it out. */
export function validateEgressHost(issues: Issues, host: string): void {
  const parts = splitNamespace(host);
  if (parts === undefined) {
    issues.error('invalid-host', `${quote(host)} must be NAMESPACE/HOST, as in "*/*" or "./reviews.example.com"`);
    return;
  }
  const namespace = parts.namespace.replace(/^~/, '');
  const fine = ['', '*', '.'].includes(namespace) || isDnsLabel(namespace);
  issues.check('invalid-namespace', fine && parts.namespace !== '' ? undefined : namespaceProblem(parts.namespace));
  checkHost(issues, parts.name, false);
}

/** The parts of `namespace/host`; undefined where there is no namespace. */
export function splitNamespace(host: string): { readonly namespace: string; readonly name: string } | undefined {
  const slash = host.indexOf('/');
  return slash < 0 ? undefined : { namespace: host.slice(0, slash), name: host.slice(slash + 1) };
}

function namespaceProblem(namespace: string): Problem {
  return `${quote(namespace)} must be "*", "." or a namespace`;
}

function checkHost(issues: Issues, host: string, isAddress: boolean): void {
  const short = host !== '*' && !host.includes('.');
  issues.errorIf(short, 'invalid-host', `${quote(host)} is a short name; write the whole domain name`);
  if (!isAddress) issues.check('invalid-host', wildcardDomainProblem(host));
  issues.check('invalid-host', partialWildcardProblem(host));
}
