import type { Cell, Computed, InputNode, Step } from './cell.ts';
import { Failure } from './failure.ts';

/** Records what a computation reads, while it runs. */
export class Frame {
  /** Query and arguments, for messages. */
  readonly name: string;
  readonly reads = new Set<InputNode | Cell>();
  readonly path: Step[] = [];
  readonly #ids = new Set<string>();

  constructor(name: string) {
    this.name = name;
  }

  addStep(step: Step): void {
    if (this.#ids.has(step.id)) return;
    this.#ids.add(step.id);
    this.path.push(step);
  }

  computed(value: unknown): Computed {
    return { value, path: this.path, reads: [...this.reads] };
  }
}

export function valueOf(cell: Cell): unknown {
  if (cell.value instanceof Failure) throw cell.value.error;
  return cell.value;
}

export function samePath(a: readonly Step[], b: readonly Step[]): boolean {
  return a.length === b.length && a.every((step, at) => step.id === b[at]?.id && Object.is(step.value, b[at]?.value));
}
