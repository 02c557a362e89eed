import { isDnsLabel } from './dns.ts';
import { type Issues, type Problem, quote } from './issues.ts';

const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const MAX_NAME = 63;
const MAX_PREFIX = 253;

function isLabelPrefix(text: string): boolean {
  return text.length <= MAX_PREFIX && text.split('.').every(isDnsLabel);
}

function labelKeyProblem(key: string): Problem {
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const fine = NAME.test(name) && name.length <= MAX_NAME && (slash < 0 || isLabelPrefix(key.slice(0, slash)));
  if (fine) return undefined;
  return `${quote(key)} is not a label key: it must be a name of letters, digits, "-", "_" and ".", maybe after a DNS prefix and "/"`;
}

function labelValueProblem(value: string): Problem {
  if (value === '' || NAME.test(value)) return undefined;
  return `${quote(value)} is not a label value: only letters, digits, "-", "_" and "." are allowed, with a letter or digit at both ends`;
}

/** Kubernetes labels in the map field `name`. */
export function validateLabels(issues: Issues, name: string, labels: Readonly<Record<string, string>>): void {
  issues.entries(name, labels, (at, value, key) => {
    at.check('invalid-label-key', labelKeyProblem(key));
    at.check('invalid-label-value', labelValueProblem(value));
  });
}
