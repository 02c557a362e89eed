import { type Problem, quote } from './issues.ts';

const MAX_LABEL = 63;
const MAX_NAME = 255;
const LABEL = /^[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?$/;
const WILDCARD_LABEL = /^(?:\*|(?:\*-?)?[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?)$/;

/** A DNS label (RFC 1123): letters, digits and dashes, not at either end; at most 63. */
export function isDnsLabel(text: string): boolean {
  return text.length <= MAX_LABEL && LABEL.test(text);
}

export function dnsLabelProblem(text: string): Problem {
  if (isDnsLabel(text)) return undefined;
  return `${quote(text)} must be a DNS label: at most ${MAX_LABEL} letters, digits and "-", with no "-" at either end`;
}

/** A fully qualified or short domain name without wildcard. A trailing dot is allowed, an IP address is not. */
export function domainProblem(text: string): Problem {
  return lengthProblem(text) ?? labelsProblem(text, text);
}

/** A domain name whose first label may be or begin with `*`. */
export function wildcardDomainProblem(text: string): Problem {
  const length = lengthProblem(text);
  if (length !== undefined) return length;
  const dot = text.indexOf('.');
  const first = dot < 0 ? text : text.slice(0, dot);
  if (first.length > MAX_LABEL || !WILDCARD_LABEL.test(first)) return badLabel(text, first);
  return dot < 0 ? undefined : labelsProblem(text, text.slice(dot + 1));
}

/** A `*` that stands for less than a whole first label, or is somewhere else. */
export function partialWildcardProblem(host: string): Problem {
  if (!host.includes('*') || host === '*' || host.startsWith('*.')) return undefined;
  return `${quote(host)} has a partial wildcard; use "*" for the whole of the first label, as in "*.example.com"`;
}

function lengthProblem(text: string): Problem {
  if (text === '') return 'must be a domain name, not empty';
  return text.length > MAX_NAME ? `${quote(text)} is longer than ${MAX_NAME} characters` : undefined;
}

function labelsProblem(whole: string, text: string): Problem {
  const labels = text.split('.');
  const last = labels.at(-1) ?? '';
  if (/^\d+$/.test(last)) return `${quote(whole)} is not a domain name: its last label is a number`;
  if (last === '') labels.pop();
  const bad = labels.find((label) => !isDnsLabel(label));
  return bad === undefined ? undefined : badLabel(whole, bad);
}

function badLabel(whole: string, label: string): string {
  return `${quote(whole)} is not a domain name: its label ${quote(label)} is not valid`;
}
