import { hash } from 'node:crypto';
import type { EncodedResource } from '@kedge/envoy-api';

export type { EncodedResource, Requirement } from '@kedge/envoy-api';

/** What a client is known to hold of a type: names and versions. */
export interface Held {
  readonly size: number;
  versionOf(name: string): string | undefined;
  names(): Iterable<string>;
}

/** The resources of one type that answer one subscription. Equal answers should be the same object, but needn't be. */
export class Answer implements Held {
  static readonly empty = new Answer([]);

  readonly resources: readonly EncodedResource[];
  #byName: ReadonlyMap<string, EncodedResource> | undefined;
  #hash: string | undefined;

  /** @param resources with unique names, in the order in which they are sent. */
  constructor(resources: readonly EncodedResource[]) {
    this.resources = resources;
  }

  get size(): number {
    return this.resources.length;
  }

  get(name: string): EncodedResource | undefined {
    this.#byName ??= uniqueByName(this.resources);
    return this.#byName.get(name);
  }

  versionOf(name: string): string | undefined {
    return this.get(name)?.version;
  }

  names(): Iterable<string> {
    return this.resources.values().map((resource) => resource.name);
  }

  /** Hash of all names and versions. */
  get hash(): string {
    return (this.#hash ??= hashOf(this.resources));
  }
}

/** What a client says it holds from an earlier stream (`initial_resource_versions`). */
export class InitialVersions implements Held {
  readonly #versions: ReadonlyMap<string, string>;

  constructor(versions: Iterable<readonly [name: string, version: string]>) {
    this.#versions = new Map(versions);
  }

  get size(): number {
    return this.#versions.size;
  }

  versionOf(name: string): string | undefined {
    return this.#versions.get(name);
  }

  names(): Iterable<string> {
    return this.#versions.keys();
  }
}

function uniqueByName(resources: readonly EncodedResource[]): ReadonlyMap<string, EncodedResource> {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  if (byName.size !== resources.length) {
    const seen = new Set<string>();
    const twice = resources.find(({ name }) => seen.size === seen.add(name).size);
    throw new Error(`an answer holds two resources of the name ${twice?.name}`);
  }
  return byName;
}

function hashOf(resources: readonly EncodedResource[]): string {
  const text = resources.map(({ name, version }) => `${name}\0${version}\0`).join('');
  return hash('sha256', text, 'base64url').slice(0, 22);
}
