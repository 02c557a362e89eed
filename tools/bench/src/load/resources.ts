import { crc32 } from 'node:zlib';
import type { Marker, ShortType } from '../mesh/changes.ts';
import { assignmentOf, type References, routesOf } from './references.ts';
import { Fields } from './wire.ts';

export type Mode = 'delta' | 'sotw';

/** A resource as clients hold it. */
export interface Resource {
  readonly name: string;
  /** Equal exactly if the bytes are, as far as a version or a checksum tells. */
  readonly content: string;
  readonly references: References;
  /** Whether it shows the change that is waited for. */
  readonly isMarked: boolean;
}

/** Resources that follow each other in a message. */
export interface Run {
  /** The same exactly if the bytes are, and what is waited for. */
  readonly key: string;
  readonly resources: readonly Resource[];
}

/** A part of a message. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

interface Located extends Range {
  readonly name: string;
  readonly content: string;
}

const RESOURCE = { version: 1, any: 2, name: 3 };
const ANY = { value: 2 };
/** Of clusters, listeners, route configurations and load assignments alike. */
const NAME = 1;

/**
 * Looks into resources once, however many clients get them: what was found is kept by a checksum of the bytes. So a load
 * client costs little more than receiving.
 */
export class ResourceReader {
  readonly #mode: Mode;
  readonly #runs = new Map<string, Run>();
  readonly #known = new Map<string, Resource>();
  #marker: Marker | undefined;
  #expected = 0;

  constructor(mode: Mode) {
    this.#mode = mode;
  }

  /** What shows the change that clients are to report from now on. */
  expect(marker: Marker): void {
    this.#marker = marker;
    this.#expected += 1;
    this.#runs.clear();
    this.#known.clear();
  }

  /** @param range resources of a response, with nothing else among them. */
  read(type: ShortType, bytes: Buffer, { from, to }: Range): Run {
    const key = `${this.#expected}/${type}/${to - from}/${crc32(bytes.subarray(from, to))}`;
    let run = this.#runs.get(key);
    if (!run) {
      const resources: Resource[] = [];
      for (const fields = new Fields(bytes, from, to); fields.step();) resources.push(this.#resource(type, fields));
      this.#runs.set(key, (run = { key, resources }));
    }
    return run;
  }

  #resource(type: ShortType, fields: Fields): Resource {
    const located = this.#mode === 'delta' ? locateInResource(fields.inner()) : locateInAny(fields.inner());
    const { name, content, from, to } = located;
    const key = `${type}/${name}/${content}`;
    let resource = this.#known.get(key);
    if (!resource) {
      const { bytes } = fields;
      const references = referencesOf(type, name, new Fields(bytes, from, to));
      resource = { name, content, references, isMarked: this.#isMarked(type, name, bytes.subarray(from, to)) };
      this.#known.set(key, resource);
    }
    return resource;
  }

  #isMarked(type: ShortType, name: string, bytes: Buffer): boolean {
    const marker = this.#marker;
    return marker?.type === type && name.includes(marker.name) && bytes.includes(marker.content);
  }
}

function referencesOf(type: ShortType, name: string, resource: Fields): References {
  if (type === 'CDS') return assignmentOf(name, resource);
  return type === 'LDS' ? routesOf(resource) : [];
}

function locateInResource(resource: Fields): Located {
  let name = '';
  let content = '';
  let range: Range = { from: 0, to: 0 };
  while (resource.step()) {
    if (resource.field === RESOURCE.version) content = resource.text();
    else if (resource.field === RESOURCE.name) name = resource.text();
    else if (resource.field === RESOURCE.any) range = valueOf(resource.inner());
  }
  return { name, content, ...range };
}

function locateInAny(any: Fields): Located {
  const { from, to } = valueOf(any);
  const resource = new Fields(any.bytes, from, to);
  let name = '';
  while (name === '' && resource.step()) if (resource.field === NAME) name = resource.text();
  return { name, content: `${to - from}/${crc32(any.bytes.subarray(from, to))}`, from, to };
}

function valueOf(any: Fields): Range {
  let range: Range = { from: 0, to: 0 };
  while (any.step()) if (any.field === ANY.value) range = { from: any.from, to: any.to };
  return range;
}
