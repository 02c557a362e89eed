import { type Messages, packAny } from '@kedge/envoy-api';

type AccessLog = Messages['envoy.config.accesslog.v3.AccessLog'];
export type AccessLogFilter = NonNullable<AccessLog['filter']>;

/** Logs what an expression of CEL is true for. */
export const expressionFilter = (expression: string): AccessLogFilter => ({
  extensionFilter: {
    name: 'envoy.access_loggers.extension_filters.cel',
    typedConfig: packAny('envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter', { expression }),
  },
});
