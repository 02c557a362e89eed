/** A set that forgets what was added long ago: it holds between one and two times so many of the latest members. */
export class RecentSet<T> {
  readonly #size: number;
  #latest = new Set<T>();
  #former: ReadonlySet<T> = new Set();

  constructor(size: number) {
    this.#size = size;
  }

  has(member: T): boolean {
    return this.#latest.has(member) || this.#former.has(member);
  }

  add(member: T): void {
    if (this.#latest.has(member)) return;
    this.#latest.add(member);
    if (this.#latest.size < this.#size) return;
    this.#former = this.#latest;
    this.#latest = new Set();
  }
}
