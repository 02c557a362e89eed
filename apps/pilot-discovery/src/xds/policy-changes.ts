import { type InputName, parseInput } from '@kedge/incremental';

/** Kinds whose former state nobody must be served in place of the present one. */
const POLICIES: ReadonlySet<string> = new Set(['AuthorizationPolicy', 'RequestAuthentication', 'PeerAuthentication']);

/** Remembers which policies changed with which push. */
export class PolicyChanges {
  readonly #most: number;
  readonly #entries: { readonly push: number; readonly inputs: readonly InputName[] }[] = [];
  /** Whatever changed up to that push may be forgotten. */
  #forgotten = 0;

  /** @param most how many changes are remembered. */
  constructor(most = 1000) {
    this.#most = most;
  }

  /** @param changed the inputs that read differently since that push. */
  add(push: number, changed: readonly InputName[]): void {
    const inputs = changed.filter((input) => POLICIES.has(parseInput(input).source));
    if (inputs.length === 0) return;
    this.#entries.push({ push, inputs });
    if (this.#entries.length > this.#most) this.#forgotten = this.#entries.shift()?.push ?? this.#forgotten;
  }

  /** Whether something that read these inputs at an earlier push may now differ for a policy's sake. */
  concern(inputs: ReadonlySet<InputName>, since: number): boolean {
    if (since < this.#forgotten) return true;
    return this.#entries.some(
      ({ push, inputs: changed }) => push > since && changed.some((input) => inputs.has(input)),
    );
  }
}
