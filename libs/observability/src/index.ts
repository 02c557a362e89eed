export {
  type HostPort,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  HttpServer,
  json,
  parseHostPort,
  type Routes,
  text,
} from './http/http-server.ts';
export { monitoringRoutes, readyRoutes } from './http/server-routes.ts';
export { flagsWithoutEffect, type LogFlag, type LogFlagValues, logFlags, parseLogFlags } from './logging/flags.ts';
export { type Level, levels, type MessageLevel } from './logging/level.ts';
export { createLogging, type Fields, type Logger, type Logging, type ScopeState } from './logging/logging.ts';
export { defaultLoggingOptions, type LoggingOptions, type ScopeLevels } from './logging/options.ts';
export { redact, redactValue } from './logging/redact.ts';
export { recordBuild } from './metrics/build.ts';
export {
  type CounterMetric,
  createMetricRegistry,
  type DistributionMetric,
  type GaugeMetric,
  type MetricDefinition,
  type MetricRegistry,
  type Metrics,
  type MetricTable,
} from './metrics/registry.ts';
export { type BuildInfo, buildInfo, versionFields, versionLine } from './version.ts';
