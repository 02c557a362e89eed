import {
  AccessLogFilter,
  AccessLogSelector,
  AccessLogging,
  MetricSelector,
  MetricsOverrides,
  ProviderRef,
  TagOverride,
  Telemetry,
  TelemetryMetrics,
  TelemetryTracing,
  TracingCustomTag,
  TracingEnvironment,
  TracingFormatter,
  TracingLiteral,
  TracingRequestHeader,
  TracingSelector,
} from '@kedge/model';
import { describe } from './facts.ts';
import { NOT_EMPTY, ONE_TARGET } from './rules.ts';
import { targets } from './security.ts';

const providers = 'Providers to report to, in place of the default ones.';
const mode = 'Side of the traffic: as client, as server or both.';
const defaultValue = 'Value where there is none.';

export const telemetry = [
  describe(
    Telemetry,
    {
      ...targets,
      tracing: 'How requests are traced.',
      metrics: 'How metrics are made.',
      accessLogging: 'How requests are logged.',
    },
    [ONE_TARGET],
  ),
  describe(TelemetryTracing, {
    match: 'Traffic it is for.',
    providers,
    randomSamplingPercentage: {
      about: 'Percentage of requests to trace, where the client has not decided.',
      minimum: 0,
      maximum: 100,
      nullable: true,
    },
    disableSpanReporting: { about: 'Whether no spans are reported.', nullable: true },
    customTags: 'Tags to add to spans, by name.',
    useRequestIdForTraceSampling: { about: 'Whether the request id tells if a request is traced.', nullable: true },
    enableIstioTags: { about: 'Whether spans have the tags of the mesh, such as the version.', nullable: true },
    disableContextPropagation: { about: 'Whether the headers of the trace are not sent on.', nullable: true },
  }),
  describe(TracingSelector, { mode }),
  describe(ProviderRef, { name: { about: 'Name of the provider in the mesh configuration.', minLength: 1 } }),
  describe(TracingCustomTag, {
    literal: 'A fixed value.',
    environment: 'The value of an environment variable of the proxy.',
    header: 'The value of a header of the request.',
    formatter: 'A value in the format of access logs.',
  }),
  describe(TracingLiteral, { value: { about: 'The value.', minLength: 1 } }),
  describe(TracingEnvironment, { name: { about: 'Name of the variable.', minLength: 1 }, defaultValue }),
  describe(TracingRequestHeader, { name: { about: 'Name of the header.', minLength: 1 }, defaultValue }),
  describe(TracingFormatter, { value: { about: 'The format.', minLength: 1 } }),
  describe(TelemetryMetrics, {
    providers,
    overrides: 'Changes of single metrics, in order.',
    reportingInterval: 'Time between reports of TCP metrics.',
  }),
  describe(MetricsOverrides, {
    match: 'Metric and side of the traffic it is for; all where it is left out.',
    disabled: { about: 'Whether the metric is not made.', nullable: true },
    tagOverrides: 'Changes of tags, by name.',
  }),
  describe(MetricSelector, {
    metric: 'One of the metrics of the mesh.',
    customMetric: { about: 'Any other metric, by name.', ...NOT_EMPTY },
    mode,
  }),
  describe(
    TagOverride,
    {
      operation: 'Whether the tag is set or removed.',
      value: 'Expression for the value of the tag; for UPSERT.',
    },
    [
      {
        rule: '((has(self.operation) ? self.operation : "") == "UPSERT") ? (self.value != "") : true',
        message: 'value must be set when operation is UPSERT',
      },
      {
        rule: '((has(self.operation) ? self.operation : "") == "REMOVE") ? !has(self.value) : true',
        message: 'value must not be set when operation is REMOVE',
      },
    ],
  ),
  describe(AccessLogging, {
    match: 'Traffic it is for.',
    providers,
    disabled: { about: 'Whether nothing is logged.', nullable: true },
    filter: 'Which requests are logged; all where it is left out.',
  }),
  describe(AccessLogSelector, { mode }),
  describe(AccessLogFilter, { expression: 'CEL expression that is true for requests to log.' }),
];
