import { type FunctionTable, sprigFunctions, TemplateSet, toValue, type Value } from '@kedge/go-template';
import type { InjectionMesh } from './mesh.ts';
import type { InjectionValues } from './request.ts';
import { goView } from './template-values.ts';

/** What injections share: parsed templates, and values and mesh config as templates see them. Whoever injects often keeps one. */
export class TemplateCache {
  readonly #sprig: FunctionTable;
  readonly #sets = new Map<string, TemplateSet>();
  readonly #values = new WeakMap<InjectionValues, Value>();
  readonly #meshes = new WeakMap<InjectionMesh, Value>();

  /** @param environment what templates see of it */
  constructor(environment: Readonly<Record<string, string>> | undefined) {
    this.#sprig = sprigFunctions({ environment });
  }

  /** The output of a template with functions for this time. Throws a TemplateError. */
  render(name: string, source: string, functions: FunctionTable, data: Value): string {
    const key = `${name}\n${source}`;
    const parsed =
      this.#sets.get(key) ?? new TemplateSet({ functions: { ...this.#sprig, ...functions } }).parse(name, source);
    // Few templates are in use at a time; those of older configurations are not kept.
    if (this.#sets.size > MAX_SETS) this.#sets.clear();
    this.#sets.set(key, parsed);
    const own = parsed.clone();
    own.addFunctions(functions);
    return own.execute(name, data);
  }

  valuesView(values: InjectionValues): Value {
    return memoized(this.#values, values, toValue);
  }

  meshView(mesh: InjectionMesh): Value {
    return memoized(this.#meshes, mesh, goView);
  }
}

const MAX_SETS = 100;

function memoized<K extends object>(memo: WeakMap<K, Value>, key: K, make: (key: K) => Value): Value {
  const known = memo.get(key);
  if (known !== undefined) return known;
  const made = make(key);
  memo.set(key, made);
  return made;
}
