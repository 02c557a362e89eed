import { Cell, type Step } from './cell.ts';

/** A question; the step's own answer plays no part here. */
interface Fork {
  readonly step: Step;
  readonly children: Map<unknown, TreeNode>;
}

type TreeNode = Fork | Cell;

/**
 * The results of one query with one list of arguments, filed under the answers that led to them. A subject finds its
 * result by answering one question after the other, so subjects share whatever they truly share.
 */
export class DecisionTree {
  #root: TreeNode | undefined;

  get isEmpty(): boolean {
    return this.#root === undefined;
  }

  /** The cell that fits a subject, whatever its state. `answer` gives the subject's answer to a step's question. */
  find(answer: (step: Step) => unknown): Cell | undefined {
    let node = this.#root;
    while (node && !(node instanceof Cell)) node = node.children.get(answer(node.step));
    return node;
  }

  /**
   * Files a cell under its path. Where the path asks something else than the tree does at that place, the tree stems from
   * inputs that have changed since, so that part of it is retired.
   */
  insert(cell: Cell): void {
    let place: { get(): TreeNode | undefined; set(node: TreeNode): void } = {
      get: () => this.#root,
      set: (node) => (this.#root = node),
    };
    for (const step of cell.path) {
      let node = place.get();
      if (!node || node instanceof Cell || node.step.id !== step.id) {
        if (node) retireAll(node);
        node = { step, children: new Map() };
        place.set(node);
      }
      const { children } = node;
      place = { get: () => children.get(step.value), set: (child) => children.set(step.value, child) };
    }
    const old = place.get();
    if (old && old !== cell) retireAll(old);
    place.set(cell);
  }

  /** Takes a cell out and prunes the branches that lead to nothing any more. */
  remove(cell: Cell): void {
    const trail: { readonly node: Fork; readonly value: unknown }[] = [];
    let node = this.#root;
    for (const { value } of cell.path) {
      if (!node || node instanceof Cell) return;
      trail.push({ node, value });
      node = node.children.get(value);
    }
    if (node !== cell) return;
    for (let step = trail.pop(); step; step = trail.pop()) {
      step.node.children.delete(step.value);
      if (step.node.children.size > 0) return;
    }
    this.#root = undefined;
  }

  *cells(): Generator<Cell> {
    if (this.#root) yield* cellsBelow(this.#root);
  }
}

function* cellsBelow(node: TreeNode): Generator<Cell> {
  if (node instanceof Cell) yield node;
  else for (const child of node.children.values()) yield* cellsBelow(child);
}

function retireAll(node: TreeNode): void {
  for (const cell of [...cellsBelow(node)]) cell.retire();
}
