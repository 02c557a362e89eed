import type { EncodedResource } from '../answer.ts';
import type { ConnectionRef } from '../events.ts';
import type { Nack } from '../nack.ts';

/** Resources that were refused together: the culprit is among them. */
interface Group<Client> {
  readonly members: Set<Suspect<Client>>;
  /** Whether it is known why they were refused, so that the others may well be good. */
  explained: boolean;
}

/** A version of a resource that was refused, and that no client of the same class has ever accepted. */
export interface Suspect<Client> {
  readonly typeUrl: string;
  readonly name: string;
  readonly version: string;
  /** The class of clients that it is served to no more. */
  readonly clientClass: string;
  readonly since: number;
  /** What was accepted before, and is served instead. */
  fallback: EncodedResource | undefined;
  /** Whether the fallback must not be served to clients that don't hold it. */
  withheld: boolean;
  /** Whether it is surely the culprit: the error names it, or it was refused alone. */
  convicted: boolean;
  nack: Nack;
  refusals: number;
  /** Clients that refused it, */
  readonly refusedBy: Set<ConnectionRef<Client>>;
  /** and all to which something else is served in its place. */
  readonly keptFrom: Set<ConnectionRef<Client>>;
  /** The client that is sent it again, to see whether it is the culprit. */
  triedBy: ConnectionRef<Client> | undefined;
  /** The smallest last. */
  readonly groups: Group<Client>[];
}

/** Notes that resources were refused together. */
export function group<Client>(suspects: readonly Suspect<Client>[]): void {
  const made: Group<Client> = { members: new Set(suspects), explained: false };
  for (const { groups } of suspects) {
    const smallest = groups.at(-1);
    if (smallest === undefined || made.members.size < smallest.members.size) groups.push(made);
  }
}

export function convict<Client>(suspect: Suspect<Client>): void {
  suspect.convicted = true;
  for (const refusedTogether of suspect.groups) refusedTogether.explained = true;
}

/**
 * Takes one out that was accepted after all: where one is left of those that were refused with it, that one it is.
 * @returns those that are convicted by that.
 */
export function acquit<Client>(suspect: Suspect<Client>): readonly Suspect<Client>[] {
  const convicted: Suspect<Client>[] = [];
  for (const { members, explained } of suspect.groups) {
    members.delete(suspect);
    const [last] = members;
    if (last === undefined || members.size > 1 || explained) continue;
    convict(last);
    convicted.push(last);
  }
  return convicted;
}

/** Takes one out of which nothing will be learnt any more. */
export function forget<Client>(suspect: Suspect<Client>): void {
  for (const refusedTogether of suspect.groups) {
    refusedTogether.members.delete(suspect);
    refusedTogether.explained = true;
  }
}

/**
 * Which of the suspects to send once more: half of those that were refused together, until the culprit is found; all of
 * those that were refused together with one that is found.
 */
export function nextTrial<Client>(suspects: readonly Suspect<Client>[]): readonly Suspect<Client>[] {
  const open = suspects.filter(({ convicted, triedBy }) => !convicted && triedBy === undefined);
  const smallest = open
    .map(({ groups }) => groups.at(-1))
    .filter((found) => found !== undefined)
    .reduce<Group<Client> | undefined>(
      (least, found) => (least && sizeOf(least) <= sizeOf(found) ? least : found),
      undefined,
    );
  if (smallest === undefined) return [];
  const members = open.filter(({ groups }) => groups.at(-1) === smallest);
  return smallest.explained ? members : members.slice(0, Math.ceil(members.length / 2));
}

const sizeOf = ({ members }: Group<unknown>): number => members.size;
