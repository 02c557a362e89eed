import type { Proxy } from '@kedge/model';
import { answer, type EncodedResource, namesKey, TYPE_URLS, WILDCARD } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';

export type ShortType = keyof typeof TYPE_URLS;

/** What a proxy gets, by type. */
export type Answers = Readonly<Record<ShortType, readonly EncodedResource[]>>;

/** Asked for as a whole, by every proxy. */
export const wildcardSubscriptions = { CDS: WILDCARD, LDS: WILDCARD, NDS: WILDCARD, PCDS: WILDCARD } as const;

/** Asked for in any case, whether or not it means something. */
export const namesAlwaysAsked: Readonly<Partial<Record<ShortType, readonly string[]>>> = {
  EDS: ['no-such-cluster'],
  RDS: ['80', '8080', 'http.80', 'x.example:80', 'no-such-route'],
  SDS: ['cred-a', 'cred-b', 'cred-a-cacert'].flatMap((name) =>
    ['', 'shop/', 'istio-system/'].map((place) => `kubernetes://${place}${name}`),
  ),
  ECDS: ['own', 'no-such-extension'],
};

/** What is asked for by name: what resources require, and some more. */
export function namedSubscriptions(resources: readonly EncodedResource[]): Readonly<Record<string, string>> {
  const requirements = resources.flatMap(({ requires = [] }) => requires);
  return Object.fromEntries(
    Object.entries(namesAlwaysAsked).map(([type, always]) => {
      const url = TYPE_URLS[type as ShortType];
      const required = requirements.filter(({ typeUrl }) => typeUrl === url).flatMap(({ names }) => names);
      return [type, namesKey([...new Set([...required, ...always])].sort())];
    }),
  );
}

/** What a proxy asks for once it knows its clusters and listeners, by type. */
export function subscriptionsOf(push: PushContext, proxy: Proxy): Readonly<Record<string, string>> {
  const { CDS, LDS } = ask(push, proxy, wildcardSubscriptions);
  return { ...wildcardSubscriptions, ...namedSubscriptions([...CDS, ...LDS]) };
}

export const answersOf = (push: PushContext, proxy: Proxy): Answers => ask(push, proxy, subscriptionsOf(push, proxy));

function ask(push: PushContext, proxy: Proxy, subscriptions: Readonly<Record<string, string>>): Answers {
  return Object.fromEntries(
    Object.entries(subscriptions).map(([type, names]) => [
      type,
      push.evaluate(proxy, answer, TYPE_URLS[type as ShortType], names),
    ]),
  ) as Answers;
}

/** One line a resource: its type, name and version (the hash of its bytes), and what it requires. Equal means equal bytes. */
export function linesOf(answers: Answers): readonly string[] {
  return Object.entries(answers).flatMap(([type, resources]) =>
    resources.map(({ name, version, requires = [] }) =>
      [type, name, version, ...requires.map(({ typeUrl, names }) => `${typeUrl}=${names.join(',')}`)].join(' '),
    ),
  );
}

/** What each of the proxies gets, as {@link linesOf}. */
export const stateOf = (push: PushContext, proxies: readonly Proxy[]): readonly (readonly string[])[] =>
  proxies.map((proxy) => linesOf(answersOf(push, proxy)));
