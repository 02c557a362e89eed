import type { Constraints, FieldFacts, Rule } from './facts.ts';

// The texts of rules and messages are part of the API: users see them, and tools match them.

export function atMostOneOf(fields: readonly string[], message: string): Rule {
  return { rule: `${fields.map((field) => `(has(self.${field}) ? 1 : 0)`).join(' + ')} <= 1`, message };
}

/** A policy is for selected workloads or for the objects it names, not both. */
export const ONE_TARGET = atMostOneOf(
  ['selector', 'targetRef', 'targetRefs'],
  'only one of targetRefs or selector can be set',
);

export const POSITIVE_DURATION: Rule = {
  rule: "duration(self) >= duration('1ms')",
  message: 'must be a valid duration greater than 1ms',
};

/** For a duration that the API server takes whatever it is, zero too. */
export function anyDuration(about: string): FieldFacts {
  return { about, rules: [] };
}

export const PORT: Rule = { rule: '0 < self && self <= 65535', message: 'port must be between 1-65535' };

export const NO_WILDCARD_IN_SELECTOR: Rule = {
  rule: '!self.contains("*")',
  message: 'wildcard is not supported in selector',
};

/** For a URL whose scheme may be left out. */
export function urlWithScheme(schemes: readonly string[]): Rule {
  const list = ['', ...schemes].map((scheme) => `"${scheme}"`).join(', ');
  return {
    rule:
      `isURL(self) ? (url(self).getScheme() in [${list}]) : (isURL("http://" + self) &&\n` +
      `url("http://" + self).getScheme() in [${list}])`,
    message: 'url must have schema one of [http, https, file, oci]',
  };
}

export const NOT_EMPTY: Constraints = { minLength: 1 };

/** The name of an HTTP header. */
export const HEADER_NAME = '^[-_A-Za-z0-9]+$';
