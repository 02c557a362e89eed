import { type Any, encodeAny, packAny } from '@kedge/envoy-api';
import { createHash } from 'node:crypto';
import { Answer, type EncodedResource } from '../answer.ts';
import { GeneratorRegistry, type XdsGenerator } from '../generator-registry.ts';
import type { Subscription } from '../subscription.ts';
import { TypeUrl } from '../type-urls.ts';

/** A resource of a test: a content under a name, as any of the types. */
export type Contents = Readonly<Record<string, string>>;

/** The whole state of a test's server: contents by type and name. */
export type TestSnapshot = Readonly<Record<string, Contents>>;

/** An edit: contents of one type to set, or to remove where undefined. */
export interface TestRequest {
  readonly edits: readonly (readonly [typeUrl: string, name: string, content: string | undefined])[];
}

export interface TestClient {
  readonly node: string;
}

/** Names in `requires`: every cluster waits for the assignment of its name, every listener for the route of its name. */
const followUps: Readonly<Record<string, string>> = {
  [TypeUrl.cluster]: TypeUrl.endpoint,
  [TypeUrl.listener]: TypeUrl.route,
};

export function edited(snapshot: TestSnapshot, { edits }: TestRequest): TestSnapshot {
  const next: Record<string, Contents> = { ...snapshot };
  for (const [typeUrl, name, content] of edits) {
    const { [name]: _, ...others } = next[typeUrl] ?? {};
    next[typeUrl] = content === undefined ? others : { ...others, [name]: content };
  }
  return next;
}

export function resource(typeUrl: string, name: string, content: string): EncodedResource {
  const version = createHash('sha256').update(`${typeUrl} ${name} ${content}`).digest('hex').slice(0, 16);
  const requires = followUps[typeUrl] === undefined ? undefined : [{ typeUrl: followUps[typeUrl], names: [name] }];
  return { name, version, any: encodeAny(packed(typeUrl, name, content)), requires };
}

/** The content travels in a member that each type has. */
function packed(typeUrl: string, name: string, content: string): Any {
  const struct = { content };
  const metadata = { filterMetadata: { test: struct } };
  switch (typeUrl) {
    case TypeUrl.endpoint:
      return packAny('envoy.config.endpoint.v3.ClusterLoadAssignment', {
        clusterName: name,
        endpoints: [{ locality: { zone: content } }],
      });
    case TypeUrl.listener:
      return packAny('envoy.config.listener.v3.Listener', { name, metadata });
    case TypeUrl.route:
      return packAny('envoy.config.route.v3.RouteConfiguration', { name, metadata });
    default:
      return packAny('envoy.config.cluster.v3.Cluster', { name, metadata });
  }
}

export function contentOf(any: Any | undefined): { readonly name: string; readonly content: string } {
  const { name, clusterName, metadata, endpoints } = any as {
    name?: string;
    clusterName?: string;
    metadata?: { filterMetadata: { test: { content: string } } };
    endpoints?: readonly { locality: { zone: string } }[];
  };
  const content = metadata?.filterMetadata.test.content ?? endpoints?.[0]?.locality.zone ?? '';
  return { name: name ?? clusterName ?? '', content };
}

const NOTHING: Contents = {};

/** Answers every type from the snapshot. */
export function testGenerators(
  types: readonly string[] = Object.values(TypeUrl),
): GeneratorRegistry<TestSnapshot, TestClient> {
  const known = new WeakMap<Contents, Map<string, Answer>>();
  const generator: XdsGenerator<TestSnapshot, TestClient> = {
    generate: ({ snapshot, typeUrl, subscription }) => {
      const contents = snapshot[typeUrl] ?? NOTHING;
      const answers = known.get(contents) ?? new Map<string, Answer>();
      known.set(contents, answers);
      const key = JSON.stringify([typeUrl, subscription.wildcard, subscription.names]);
      const answer = answers.get(key) ?? new Answer(resourcesFor(snapshot, typeUrl, subscription));
      answers.set(key, answer);
      return answer;
    },
  };
  return new GeneratorRegistry(types.map((typeUrl) => [typeUrl, generator]));
}

function resourcesFor(snapshot: TestSnapshot, typeUrl: string, subscription: Subscription): EncodedResource[] {
  return Object.entries(snapshot[typeUrl] ?? {})
    .filter(([name]) => subscription.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([, content]) => {
      if (content === 'throw') throw new Error('this resource cannot be made');
      return true;
    })
    .map(([name, content]) => resource(typeUrl, name, content));
}
