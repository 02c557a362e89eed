import { isJsonObject, type Json, type JsonObject } from '@kedge/model';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { admit, manifestsOf } from './index.ts';
import type { Manifest } from './manifest.ts';

/** The places of all values in a manifest's content. */
function placesOf(value: Json, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  const below = Array.isArray(value)
    ? value.flatMap((item: Json, at) => placesOf(item, [...path, at]))
    : isJsonObject(value)
      ? Object.entries(value).flatMap(([key, item]) => (key === 'apiVersion' ? [] : placesOf(item, [...path, key])))
      : [];
  return path.length === 0 ? below : [path, ...below];
}

/** The value with another one in a place; `undefined` takes it out. */
function withValue(value: Json, [key, ...rest]: readonly (string | number)[], put: Json | undefined): Json {
  if (key === undefined) return put ?? null;
  if (Array.isArray(value)) {
    const items: readonly Json[] = value;
    return items.flatMap((item, at) => (at !== key ? [item] : rest.length === 0 && put === undefined ? [] : [withValue(item, rest, put)])); // prettier-ignore
  }
  const { [key]: old = null, ...others } = value as JsonObject;
  return rest.length === 0 && put === undefined ? others : { ...others, [key]: withValue(old, rest, put) };
}

/** What breaks a field: nothing, other types, names that are none, broken expressions, numbers out of range. */
const breakers: readonly (Json | undefined)[] = [undefined, null, [], {}, '', '(', '*', 'no such thing', -1, 70_000, true, [{}], { regex: '[' }]; // prettier-ignore

const broken = fc
  .constantFrom(...Object.values(manifestsOf))
  .chain((manifest) => fc.tuple(manifest, fc.nat({ max: 1000 }), fc.constantFrom(...breakers)))
  .map(([manifest, at, put]) => {
    const value = manifest as unknown as Json;
    const places = placesOf(value);
    return withValue(value, places[at % places.length] ?? [], put);
  })
  .filter((manifest) => admit(manifest) === undefined);

/** A manifest that something is wrong with, so that the object must not take effect. */
export const invalidManifest = broken as unknown as fc.Arbitrary<Manifest>;

const head = 'apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: a, namespace: shop}\n';

/** Documents that can't be read as an object at all. */
const unreadable = fc.constantFrom(
  'kind: [',
  '{{ .Values.name }}: {{ .Values }}',
  'just text',
  '- a\n- list',
  `${head}spec: {hosts: [x.example], hosts: [y.x.example], http: [{route: [{destination: {host: a}}]}]}`,
  `${head}spec: &loop {http: *loop}`,
  'apiVersion: v9\nkind: Nothing\nmetadata: {name: a}',
);

/** The text of a document that must have no effect. */
export const invalidDocument = fc.oneof(
  { weight: 6, arbitrary: invalidManifest.map((manifest) => stringify(manifest)) },
  { weight: 1, arbitrary: unreadable },
);
