import type { Asked, Cell, Dependent, InputNode } from './cell.ts';
import { valueOf } from './frame.ts';
import type { InputName } from './snapshot.ts';

/** A standing interest in one value: keeps it alive, and hears when it may have changed. */
export interface Watch extends Disposable {
  /** The current value, computed if need be. Reading arms the watch again. */
  read(): unknown;
}

/** What watches need of the memo. */
export interface WatchHost<Subject> {
  /** The cell that the subject is led to, up to date. */
  cell(subject: Subject, asked: Asked): Cell;
  /** Brings a cell up to date that the subject is led to. */
  refresh(subject: Subject, cell: Cell): void;
  /** The cell and all that leads the subject to it. */
  readsOf(subject: Subject, cell: Cell): ReadonlySet<InputNode | Cell>;
  /** Hears that nobody reads something any more, for now. */
  orphaned(node: InputNode | Cell): void;
}

/** The watch of a subject. As long as nothing changes that led it to its cell, it reads the cell without looking for it. */
export class WatchedCell<Subject> implements Watch, Dependent {
  readonly #host: WatchHost<Subject>;
  readonly #subject: Subject;
  readonly #asked: Asked;
  readonly #onChange: (cause: InputName) => void;
  #watched: ReadonlySet<InputNode | Cell> = new Set();
  /** Undefined where it is to be looked for. */
  #cell: Cell | undefined;
  #armed = false;

  constructor(host: WatchHost<Subject>, subject: Subject, asked: Asked, onChange: (cause: InputName) => void) {
    this.#host = host;
    this.#subject = subject;
    this.#asked = asked;
    this.#onChange = onChange;
  }

  read(): unknown {
    if (this.#cell) this.#host.refresh(this.#subject, this.#cell);
    const cell = this.#cell?.state === 'clean' ? this.#cell : this.#find();
    this.#armed = true;
    return valueOf(cell);
  }

  invalidate(_certain: boolean, cause: InputName, by: InputNode | Cell): void {
    if (by !== this.#cell) this.#cell = undefined;
    if (!this.#armed) return;
    this.#armed = false;
    this.#onChange(cause);
  }

  [Symbol.dispose](): void {
    this.#armed = false;
    this.#cell = undefined;
    this.#attach(new Set());
  }

  #find(): Cell {
    const cell = this.#host.cell(this.#subject, this.#asked);
    this.#attach(this.#host.readsOf(this.#subject, cell));
    return (this.#cell = cell);
  }

  #attach(next: ReadonlySet<InputNode | Cell>): void {
    for (const node of this.#watched) {
      if (next.has(node)) continue;
      node.dependents.delete(this);
      if (node.dependents.size === 0) this.#host.orphaned(node);
    }
    for (const node of next) node.dependents.add(this);
    this.#watched = next;
  }
}
