import { packAny, type Permission, type ValueMatcher } from '@kedge/envoy-api';
import type { AuthorizationOperation } from '@kedge/model';
import { addressRange } from '../address-range.ts';
import { wildcardHeader, wildcardMatcher } from '../wildcard-matcher.ts';
import type { Attribute, FieldRow } from './attribute.ts';
import { anyValue, metadataMatcher } from './metadata-matcher.ts';

type Row = Attribute<Permission>;

const destinationPort: Row = {
  each: (value) => {
    const port = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    return port <= 65535 ? { destinationPort: port } : undefined;
  },
};

/** Fields of operations, with their negations, in the order in which they are tested. */
export const OPERATION_FIELDS: readonly FieldRow<keyof AuthorizationOperation, Permission>[] = [
  {
    field: 'hosts',
    negation: 'notHosts',
    attribute: {
      httpOnly: true,
      each: (value) => ({ header: wildcardHeader(':authority', value, { ignoreCase: true }) }),
    },
  },
  {
    field: 'methods',
    negation: 'notMethods',
    attribute: { httpOnly: true, each: (value) => ({ header: wildcardHeader(':method', value) }) },
  },
  { field: 'paths', negation: 'notPaths', attribute: { httpOnly: true, each: pathPermission } },
  { field: 'ports', negation: 'notPorts', attribute: destinationPort },
];

/** Attributes of conditions that are about what is done. Those that end in a dot or have a name in brackets come by prefix. */
export const PERMISSION_CONDITIONS: Readonly<Record<string, Row>> = {
  'destination.ip': {
    each: (value) => {
      const destinationIp = addressRange(value);
      return destinationIp && { destinationIp };
    },
  },
  'destination.port': destinationPort,
  'connection.sni': { each: (value) => ({ requestedServerName: wildcardMatcher(value) }) },
};

export const PERMISSION_CONDITIONS_BY_PREFIX: Readonly<Record<string, Row>> = {
  'experimental.envoy.filters.': {
    all: (values, { path }) => {
      const [, filter, key] = /^([^[]*)\[(.*?)\]?$/s.exec(path) ?? [];
      if (filter === undefined || key === undefined) return undefined;
      return { metadata: metadataMatcher(`envoy.filters.${filter}`, [key], anyValue(values.map(metadataValue))) };
    },
  },
};

/** A value in brackets is a member of a list. */
function metadataValue(value: string): ValueMatcher {
  return value.startsWith('[') && value.endsWith(']')
    ? { listMatch: { oneOf: { stringMatch: wildcardMatcher(value.replace(/^[[\]]+|[[\]]+$/g, '')) } } }
    : { stringMatch: wildcardMatcher(value) };
}

const OPERATORS = /\{(\*\*?)\}/g;

/** `{*}` stands for one segment and `{**}` for any number; Envoy writes them without braces. */
function pathPermission(path: string): Permission {
  const pathTemplate = path.replace(OPERATORS, '$1');
  if (pathTemplate === path) return { urlPath: { path: wildcardMatcher(path) } };
  return {
    uriTemplate: {
      name: 'uri-template',
      typedConfig: packAny('envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig', { pathTemplate }),
    },
  };
}
