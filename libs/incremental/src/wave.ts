import type { Cell } from './cell.ts';

/** Cells that wait to be brought up to date, lowest first, so that each is worked off once, after all that it reads. */
export class Wave {
  readonly #levels: Set<Cell>[] = [];
  #lowest = 0;

  add(cell: Cell): void {
    (this.#levels[cell.height] ??= new Set()).add(cell);
    if (cell.height < this.#lowest) this.#lowest = cell.height;
  }

  /** Takes the next cell out. */
  next(): Cell | undefined {
    for (; this.#lowest < this.#levels.length; this.#lowest++) {
      const level = this.#levels[this.#lowest];
      if (!level) continue;
      for (const cell of level) {
        level.delete(cell);
        return cell;
      }
    }
    return undefined;
  }
}
