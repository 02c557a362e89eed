import { childrenOf, type DerNode, oid, oidOf, primitive, sequence, set, tags } from './der.ts';
import { oids } from './oids.ts';

/** The parts of a distinguished name that are used here. */
export interface SubjectName {
  readonly organization?: string;
  readonly commonName?: string;
}

export function subjectName({ organization, commonName }: SubjectName): DerNode {
  return sequence(...attribute(oids.organization, organization), ...attribute(oids.commonName, commonName));
}

const attribute = (id: string, text: string | undefined): readonly DerNode[] =>
  text === undefined ? [] : [set(sequence(oid(id), primitive(tags.utf8, Buffer.from(text).toString('latin1'))))];

export const commonNameOf = (name: DerNode): string | undefined => valueOf(name, oids.commonName);
export const organizationOf = (name: DerNode): string | undefined => valueOf(name, oids.organization);

function valueOf(name: DerNode, id: string): string | undefined {
  for (const set of childrenOf(name)) {
    for (const pair of childrenOf(set)) {
      const [type, text] = childrenOf(pair);
      if (oidOf(type) === id && typeof text?.value === 'string') return Buffer.from(text.value, 'latin1').toString();
    }
  }
  return undefined;
}
