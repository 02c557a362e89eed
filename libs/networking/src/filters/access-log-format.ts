import type { JsonObject, SubstitutionFormatString } from '@kedge/envoy-api';
import { packAny } from '@kedge/envoy-api';
import { isJsonObject } from '@kedge/model';

/* The formats in which Envoy writes what it did, where nobody asks for another one.
   https://istio.io/latest/docs/tasks/observability/logs/access-log/#default-access-log-format */

/** What is told of a request or connection: the name in JSON, and Envoy's operator. */
const FIELDS = {
  start_time: '%START_TIME%',
  method: '%REQ(:METHOD)%',
  path: '%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%',
  protocol: '%PROTOCOL%',
  response_code: '%RESPONSE_CODE%',
  response_flags: '%RESPONSE_FLAGS%',
  response_code_details: '%RESPONSE_CODE_DETAILS%',
  connection_termination_details: '%CONNECTION_TERMINATION_DETAILS%',
  upstream_transport_failure_reason: '%UPSTREAM_TRANSPORT_FAILURE_REASON%',
  bytes_received: '%BYTES_RECEIVED%',
  bytes_sent: '%BYTES_SENT%',
  duration: '%DURATION%',
  upstream_service_time: '%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%',
  x_forwarded_for: '%REQ(X-FORWARDED-FOR)%',
  user_agent: '%REQ(USER-AGENT)%',
  request_id: '%REQ(X-REQUEST-ID)%',
  authority: '%REQ(:AUTHORITY)%',
  upstream_host: '%UPSTREAM_HOST%',
  upstream_cluster: '%UPSTREAM_CLUSTER_RAW%',
  upstream_local_address: '%UPSTREAM_LOCAL_ADDRESS%',
  downstream_local_address: '%DOWNSTREAM_LOCAL_ADDRESS%',
  downstream_remote_address: '%DOWNSTREAM_REMOTE_ADDRESS%',
  requested_server_name: '%REQUESTED_SERVER_NAME%',
  route_name: '%ROUTE_NAME%',
} as const;

/** The same as a line of text: square brackets and quotes mark what may hold spaces. */
export const USUAL_LINE = `${[
  `[${FIELDS.start_time}]`,
  `"${FIELDS.method} ${FIELDS.path} ${FIELDS.protocol}"`,
  FIELDS.response_code,
  FIELDS.response_flags,
  FIELDS.response_code_details,
  FIELDS.connection_termination_details,
  `"${FIELDS.upstream_transport_failure_reason}"`,
  FIELDS.bytes_received,
  FIELDS.bytes_sent,
  FIELDS.duration,
  FIELDS.upstream_service_time,
  `"${FIELDS.x_forwarded_for}"`,
  `"${FIELDS.user_agent}"`,
  `"${FIELDS.request_id}"`,
  `"${FIELDS.authority}"`,
  `"${FIELDS.upstream_host}"`,
  FIELDS.upstream_cluster,
  FIELDS.upstream_local_address,
  FIELDS.downstream_local_address,
  FIELDS.downstream_remote_address,
  FIELDS.requested_server_name,
  FIELDS.route_name,
].join(' ')}\n`;

/** Lines of text; every one ends in a newline. */
export function textFormat(format = '', omitEmptyValues = false): SubstitutionFormatString {
  const line = format || USUAL_LINE;
  return {
    textFormatSource: { inlineString: line.endsWith('\n') ? line : `${line}\n` },
    ...omission(omitEmptyValues),
    ...logFormatters([line]),
  };
}

/** Objects of JSON; fields without a format of their own are the default's. */
export function jsonFormat(fields?: JsonObject, omitEmptyValues = false): SubstitutionFormatString {
  const wanted = fields && Object.keys(fields).length > 0 ? fields : FIELDS;
  return {
    jsonFormat: wanted,
    jsonFormatOptions: { sortProperties: false },
    ...omission(omitEmptyValues),
    ...logFormatters(Object.values(wanted)),
  };
}

/** JSON as users write it into a setting of text; undefined where it is none. */
export function parseJsonFormat(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? (parsed as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

const omission = (omitEmptyValues: boolean): SubstitutionFormatString => (omitEmptyValues ? { omitEmptyValues } : {});

/** Operators that Envoy knows only through a formatter that must be asked for. */
export function logFormatters(values: readonly unknown[]): Pick<SubstitutionFormatString, 'formatters'> {
  const isUsed = values.some((value) => typeof value === 'string' && value.includes('%REQ_WITHOUT_QUERY'));
  if (!isUsed) return {};
  const typedConfig = packAny('envoy.extensions.formatter.req_without_query.v3.ReqWithoutQuery', {});
  return { formatters: [{ name: 'envoy.formatter.req_without_query', typedConfig }] };
}
