import { configSources } from '@kedge/config';
import { decode, type FilterChain } from '@kedge/envoy-api';
import {
  type Derivation,
  derivations,
  type FactAnswer,
  type InputName,
  parseInput,
  type Snapshot,
  type Source,
} from '@kedge/incremental';
import type { Proxy } from '@kedge/model';
import { compareText, type PushContext } from '@kedge/pushcontext';
import { answer, namesKey, WILDCARD } from './answer.ts';
import type { Generated, Origin } from './guard.ts';
import type { EncodedPiece, EncodedResource } from './resource.ts';
import { resourceTypes } from './resource-types.ts';
import { TYPE_URLS, type TypeUrl } from './type-urls.ts';

/** Objects that were looked for by something else than their name. */
interface LookUp {
  readonly kind: string;
  /** By what, and which value; absent where all objects of the kind were looked at. */
  readonly by?: string;
  readonly value?: string;
  /** What was found, as `namespace/name`. */
  readonly found: readonly string[];
}

/** All that a resource or piece rests on; a change of anything else leaves it as it is. */
interface Reads {
  /** Objects that were read by name or found, as `kind/namespace/name`. */
  readonly objects: readonly string[];
  /** Objects that were looked for by name, in vain. */
  readonly absent: readonly string[];
  readonly lookUps: readonly LookUp[];
  /** Settings of the mesh: its configuration, feature switches and the like. */
  readonly settings: readonly string[];
  /** What was asked of the proxy. */
  readonly facts: readonly FactAnswer[];
}

/** A virtual host or filter chain of a resource. */
interface PieceExplanation {
  readonly name: string;
  readonly from: readonly Origin[];
}

/** Why a resource, or a piece of it, is there, and what would change it. */
export interface Explanation {
  readonly name: string;
  readonly version: string;
  /** The objects and fields that made it, as far as they are known by name. */
  readonly from: readonly Origin[];
  /** What was decided about it before it was made. */
  readonly plan: unknown;
  /** The input whose change it was last looked at for; absent if there was none since it is there. */
  readonly cause?: string;
  readonly reads: Reads;
  readonly pieces: readonly PieceExplanation[];
}

/** A resource by its type and name. */
interface ResourcePlace {
  readonly type: TypeUrl;
  readonly name: string;
}

/**
 * Explains a resource that the proxy gets, or the piece of it that has a name; from the newest state. Undefined where there
 * is none. Secrets are explained to nobody.
 */
export function explainResource(
  push: PushContext,
  proxy: Proxy,
  { piece, ...place }: ResourcePlace & { readonly piece?: string },
): Explanation | undefined {
  const made = making(push, proxy, place);
  if (!made) return undefined;
  const { resource, maker } = made;
  const pieces = [...derivations(maker)].filter(isPiece);
  if (piece === undefined) return explanation(push.snapshot, maker, resource, pieces);
  const found = pieces.find((one) => pieceName(one) === piece);
  return found && explanation(push.snapshot, found, { name: piece, version: found.value.value.version }, []);
}

/** The objects that a resource is made from, and their fields, as far as they are known. */
export function originsOf(push: PushContext, proxy: Proxy, place: ResourcePlace): readonly Origin[] {
  const explained = explainResource(push, proxy, place);
  return distinct([...(explained?.from ?? []), ...(explained?.pieces ?? []).flatMap(({ from }) => from)]);
}

/** All inputs that a resource rests on. */
export function inputsOfResource(push: PushContext, proxy: Proxy, place: ResourcePlace): ReadonlySet<InputName> {
  const made = making(push, proxy, place);
  return new Set(made ? [...derivations(made.maker)].flatMap(({ inputs }) => inputs) : []);
}

function making(
  push: PushContext,
  proxy: Proxy,
  { type, name }: ResourcePlace,
): { readonly resource: EncodedResource; readonly maker: Derivation } | undefined {
  if (type === TYPE_URLS.SDS) return undefined;
  const names = resourceTypes[type].named ? namesKey([name]) : WILDCARD;
  const resource = push.evaluate(proxy, answer, type, names).find((one) => one.name === name);
  return resource && { resource, maker: makerOf(push.memo.derivation(proxy, answer, type, names), resource) };
}

function explanation(
  snapshot: Snapshot,
  maker: Derivation,
  { name, version }: Pick<EncodedResource, 'name' | 'version'>,
  pieces: readonly PieceDerivation[],
): Explanation {
  const from = isGenerated(maker.value) ? (maker.value.from ?? []) : [];
  const { cause } = maker;
  return {
    name,
    version,
    from: distinct(from),
    plan: planOf(maker),
    ...(cause === undefined ? {} : { cause }),
    reads: readsOf(snapshot, maker),
    pieces: pieces.map((piece) => ({ name: pieceName(piece), from: distinct(piece.value.from ?? []) })),
  };
}

const distinct = (origins: readonly Origin[]): readonly Origin[] => [
  ...new Map(origins.map((origin) => [JSON.stringify(origin), origin])).values(),
];

/** Follows a resource down to the value that it was first made as; what is above only passes it on. */
function makerOf(root: Derivation, { name, version }: EncodedResource): Derivation {
  let maker = root;
  for (;;) {
    const part = maker.parts.find(({ value }) => versionIn(value, name) === version);
    if (!part) return maker;
    maker = part;
  }
}

/** The version of the resource of that name that a value is or holds. */
function versionIn(value: unknown, name: string): string | undefined {
  if (Array.isArray(value)) return value.map((one) => versionIn(one, name)).find((version) => version !== undefined);
  if (value instanceof Map) return versionIn(value.get(name), name);
  const resource = isGenerated(value) ? value.value : value;
  return isEncoded(resource) && 'any' in resource && resource.name === name ? resource.version : undefined;
}

type Encoded = EncodedResource | EncodedPiece;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isGenerated = (value: unknown): value is Generated<Encoded> => isObject(value) && 'diagnostics' in value;
const isEncoded = (value: unknown): value is Encoded =>
  isObject(value) && 'name' in value && 'version' in value && ('any' in value || 'bytes' in value);

interface PieceDerivation extends Derivation {
  readonly value: Generated<EncodedPiece> & { readonly value: EncodedPiece };
}

const isPiece = (derivation: Derivation): derivation is PieceDerivation =>
  isGenerated(derivation.value) && isEncoded(derivation.value.value) && 'bytes' in derivation.value.value;

/** Chains often have no name of their own; then it is what they take that tells them apart. */
function pieceName({ query, value: { value: piece } }: PieceDerivation): string {
  if (!query.toLowerCase().includes('chain')) return piece.name;
  const { name, filterChainMatch: match }: FilterChain = decode('envoy.config.listener.v3.FilterChain', piece.bytes);
  const taken = [
    ...(match?.serverNames ?? []),
    ...(match?.prefixRanges ?? []).map(({ addressPrefix, prefixLen }) => `${addressPrefix}/${prefixLen ?? 0}`),
    ...(match?.destinationPort ? [`port ${match.destinationPort}`] : []),
    ...(match?.transportProtocol ? [match.transportProtocol] : []),
    ...(match?.applicationProtocols ?? []),
  ];
  return [name || piece.name, ...taken].join(' ');
}

/** Pieces are filed under their plan as JSON. */
function planOf({ args }: Derivation): unknown {
  const text = args.find((arg): arg is string => typeof arg === 'string' && arg.startsWith('{'));
  try {
    return text && JSON.parse(text);
  } catch {
    return undefined;
  }
}

const sources = configSources as unknown as Readonly<Record<string, Source<{ namespace: string; name: string }>>>;
const HIDDEN = 'Secret';

function readsOf(snapshot: Snapshot, maker: Derivation): Reads {
  const all = [...derivations(maker)];
  const objects = new Set<string>();
  const absent = new Set<string>();
  const lookUps: LookUp[] = [];
  const settings = new Set<string>();
  for (const input of new Set(all.flatMap(({ inputs }) => inputs))) {
    const { source: kind, index: by, key } = parseInput(input);
    const source = sources[kind];
    if (kind === HIDDEN) continue;
    if (!source) settings.add(kind);
    else if (by === undefined && key !== undefined) {
      (snapshot.get(source, key) ? objects : absent).add(`${kind}/${key}`);
    } else {
      const found = membersOf(snapshot, source, by, key);
      lookUps.push({ kind, ...(by === undefined ? {} : { by, value: key ?? '' }), found });
      for (const one of found) objects.add(`${kind}/${one}`);
    }
  }
  const facts = new Map(all.flatMap((part) => part.facts).map((fact) => [JSON.stringify(fact), fact]));
  return {
    objects: [...objects].sort(compareText),
    absent: [...absent].sort(compareText),
    lookUps,
    settings: [...settings].sort(compareText),
    facts: [...facts.values()],
  };
}

function membersOf(
  snapshot: Snapshot,
  source: Source<{ readonly namespace: string; readonly name: string }>,
  by: string | undefined,
  key: string | undefined,
): readonly string[] {
  if (by === undefined) return snapshot.keys(source);
  const index = source.indexes.find(({ name }) => name === `${source.name}.${by}`);
  const found = index ? snapshot.group(index, key ?? '') : [];
  return found.map(({ namespace, name }) => `${namespace}/${name}`);
}
