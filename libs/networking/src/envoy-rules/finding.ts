import type { Finding } from '../guard.ts';

/** One finding where something is wrong, else none. The path is a member of the message, or empty. */
export const finding = (isBad: boolean, path: string, message: string): readonly Finding[] =>
  isBad ? [{ path, message }] : [];

/** Whether a member is set; texts that are empty are not. */
const isSet = <M extends object>(message: M, member: keyof M): boolean =>
  message[member] !== undefined && message[member] !== '' && message[member] !== false;

const count = <M extends object>(message: M, members: readonly (keyof M & string)[]): number =>
  members.filter((member) => isSet(message, member)).length;

export const atMostOne = <M extends object>(message: M, members: readonly (keyof M & string)[]): readonly Finding[] =>
  finding(count(message, members) > 1, '', `at most one of ${members.join(', ')} may be set`);

export const exactlyOne = <M extends object>(message: M, members: readonly (keyof M & string)[]): readonly Finding[] =>
  finding(count(message, members) !== 1, '', `one of ${members.join(', ')} must be set`);

type Item<M, K extends keyof M> = NonNullable<M[K]> extends readonly (infer I)[] ? I : never;

/** Items of a list that count as the same. */
export function repeated<M extends object, K extends keyof M & string>(
  message: M,
  member: K,
  keyOf: (item: Item<M, K>) => string,
): readonly Finding[] {
  const seen = new Set<string>();
  const keys = ((message[member] ?? []) as readonly Item<M, K>[]).map(keyOf);
  const twice = keys.find((key) => seen.size === seen.add(key).size);
  return finding(twice !== undefined, member, `${twice} is there twice`);
}
