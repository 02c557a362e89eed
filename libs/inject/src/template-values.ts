import { GoMap, toValue, types, type Value } from '@kedge/go-template';

/** Go spells these names of fields with initials in capitals throughout. */
const INITIALS = /^(?:api|dns|http|tcp|grpc|uid|tty|fs|se|host(?=IP)|pod(?=IP))(?=[A-Z]|$)/;

/** Maps whose keys are data, not names of fields. */
const MAPS: ReadonlySet<string> = new Set([
  'labels',
  'annotations',
  'nodeSelector',
  'limits',
  'requests',
  'matchLabels',
  'proxyMetadata',
]);

function goName(field: string): string {
  const upper = field.replace(INITIALS, (word) => word.toUpperCase());
  return upper[0]!.toUpperCase() + upper.slice(1);
}

/** An object of Kubernetes or of the mesh as Go templates see it: fields by the names that they have in Go. */
export function goView(native: unknown): Value {
  if (Array.isArray(native)) return toValue(native.map(goView));
  if (typeof native !== 'object' || native === null) return toValue(native);
  return new GoMap(
    Object.entries(native).map(([field, value]) => [
      goName(field),
      MAPS.has(field) ? stringMap(value as Readonly<Record<string, unknown>>) : goView(value),
    ]),
  );
}

const stringMap = (native: Readonly<Record<string, unknown>>): GoMap =>
  new GoMap(
    Object.entries(native).map(([key, value]) => [key, String(value)]),
    types.stringMap,
  );
