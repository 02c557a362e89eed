import type { ConfigOf } from '../kinds/config.ts';
import type {
  AccessLogging,
  MetricsOverrides,
  ProviderRef,
  TelemetryMetrics,
  TelemetryTracing,
  TracingCustomTag,
} from '../kinds/telemetry.ts';
import { celProblem } from './cel-syntax.ts';
import type { Issues } from './issues.ts';
import { percentProblem } from './numbers.ts';
import { validatePolicyTarget } from './workload-selector.ts';

export function validateTelemetry(issues: Issues, { spec }: ConfigOf<'Telemetry'>): void {
  const { metrics, tracing, accessLogging } = spec;
  validatePolicyTarget(issues, spec);
  issues.each('metrics', metrics, validateMetrics);
  issues.at('tracing').warnIf(tracing.length > 1, 'too-many', 'only the first entry has an effect');
  issues.each('tracing', tracing, validateTracing);
  issues.each('accessLogging', accessLogging, validateAccessLogging);
}

function validateProviders(issues: Issues, providers: readonly ProviderRef[]): void {
  issues.each('providers', providers, (at, { name }) => at.at('name').errorIf(name === '', 'required', 'needs a name'));
}

function validateMetrics(issues: Issues, { providers, overrides }: TelemetryMetrics): void {
  validateProviders(issues, providers);
  issues.each('overrides', overrides, validateOverride);
}

function validateOverride(issues: Issues, { match, tagOverrides }: MetricsOverrides): void {
  issues.at('match', 'customMetric').errorIf(match?.customMetric === '', 'required', 'must not be empty');
  issues.entries('tagOverrides', tagOverrides, (at, { operation = 'UPSERT', value = '' }, tag) => {
    at.warnIf(tag === '', 'required', 'the tag needs a name');
    at.at('value').errorIf(operation === 'UPSERT' && value === '', 'required', 'operation UPSERT needs a value');
    at.at('value').errorIf(
      operation === 'REMOVE' && value !== '',
      'conflicting-fields',
      'operation REMOVE has no value',
    );
  });
}

function validateTracing(issues: Issues, tracing: TelemetryTracing): void {
  const { providers, randomSamplingPercentage, customTags } = tracing;
  issues.at('providers').warnIf(providers.length > 1, 'too-many', 'only one provider is supported');
  validateProviders(issues, providers);
  issues.field('randomSamplingPercentage', randomSamplingPercentage, (at, percent) =>
    at.check('out-of-range', percentProblem(percent)),
  );
  issues.entries('customTags', customTags, (at, tag, name) => {
    at.errorIf(name === '', 'required', 'the tag needs a name');
    validateTag(at, tag);
  });
}

function validateTag(issues: Issues, { literal, environment, header, formatter }: TracingCustomTag): void {
  issues.errorIf(
    !literal && !environment && !header && !formatter,
    'required',
    'needs literal, environment, header or formatter',
  );
  issues.at('literal', 'value').errorIf(literal?.value === '', 'required', 'must not be empty');
  issues.at('environment', 'name').errorIf(environment?.name === '', 'required', 'must not be empty');
  issues.at('header', 'name').errorIf(header?.name === '', 'required', 'must not be empty');
}

function validateAccessLogging(issues: Issues, { providers, filter }: AccessLogging): void {
  validateProviders(issues, providers);
  issues.field('filter', filter, (at, { expression = '' }) =>
    at.at('expression').check('invalid-cel', celProblem(expression)),
  );
}
