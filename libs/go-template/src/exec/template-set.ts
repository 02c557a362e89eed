import { isEmpty, type ListNode } from '../syntax/ast.ts';
import { defaultDelimiters, type Delimiters } from '../syntax/lexer.ts';
import { parse } from '../syntax/parser.ts';
import { quote } from '../text/quote.ts';
import { rejoin } from '../text/utf8.ts';
import { type FunctionTable, type GoFunction } from '../value/function.ts';
import { type Value } from '../value/value.ts';
import { builtins } from '../builtins/index.ts';
import { Execution } from './execution.ts';
import { TemplateError } from './template-error.ts';

/** What a field of a map that has no such key is: no value, the zero value of the map's element type, or an error. */
export type MissingKey = 'default' | 'zero' | 'error';

export interface TemplateOptions {
  /** Named in the error about a template that isn't there. */
  readonly name?: string;
  /** Beside Go's own functions, or in their place. */
  readonly functions?: FunctionTable;
  readonly missingKey?: MissingKey;
  readonly delimiters?: Partial<Delimiters>;
}

/** Templates that can call one another by name. */
export class TemplateSet {
  readonly name: string;
  readonly missingKey: MissingKey;
  readonly #functions: Map<string, GoFunction>;
  readonly #delimiters: Delimiters;
  readonly #trees = new Map<string, ListNode>();

  constructor(options: TemplateOptions = {}) {
    this.name = options.name ?? '';
    this.missingKey = options.missingKey ?? 'default';
    this.#functions = new Map(Object.entries(options.functions ?? {}));
    this.#delimiters = {
      left: options.delimiters?.left || defaultDelimiters.left,
      right: options.delimiters?.right || defaultDelimiters.right,
    };
  }

  /** Functions that need the set itself, which has to be there first. */
  addFunctions(functions: FunctionTable): void {
    for (const [name, implementation] of Object.entries(functions)) this.#functions.set(name, implementation);
  }

  /** Adds a template, and those that it defines. An empty one doesn't take the place of another. Throws a TemplateError. */
  parse(name: string, text: string): this {
    this.#add(name, text);
    return this;
  }

  /** Adds a template, of which the answer gives the output for data. Both throw a TemplateError. */
  prepare(name: string, text: string): (data: Value) => string {
    const tree = this.#add(name, text);
    return (data) => this.#run(name, tree, data);
  }

  #add(name: string, text: string): ListNode {
    const isFunction = (candidate: string): boolean => this.function(candidate) !== undefined;
    const trees = parse({ name, text }, { delimiters: this.#delimiters, isFunction });
    for (const [defined, tree] of trees) {
      if (!this.#trees.has(defined) || !isEmpty(tree)) this.#trees.set(defined, tree);
    }
    return trees.get(name)!;
  }

  /** A set with the same templates and functions, to which more can be added. */
  clone(): TemplateSet {
    const copy = new TemplateSet({
      name: this.name,
      missingKey: this.missingKey,
      delimiters: this.#delimiters,
      functions: Object.fromEntries(this.#functions),
    });
    for (const [name, tree] of this.#trees) copy.#trees.set(name, tree);
    return copy;
  }

  get templateNames(): readonly string[] {
    return [...this.#trees.keys()];
  }

  tree(name: string): ListNode | undefined {
    return this.#trees.get(name);
  }

  /** A function by name, and whether it's one of Go's own. */
  function(name: string): { readonly implementation: GoFunction; readonly isBuiltin: boolean } | undefined {
    const own = this.#functions.get(name);
    if (own !== undefined) return { implementation: own, isBuiltin: false };
    const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
    return builtin && { implementation: builtin, isBuiltin: true };
  }

  /** The output of a template for data (see `toValue`). Throws a TemplateError. */
  execute(name: string, data: Value): string {
    const tree = this.tree(name);
    if (tree === undefined) {
      const message = `template: no template ${quote(name)} associated with template ${quote(this.name)}`;
      throw new TemplateError(message, { template: this.name });
    }
    return this.#run(name, tree, data);
  }

  #run(name: string, tree: ListNode, data: Value): string {
    const output: string[] = [];
    new Execution({ set: this, name, output, depth: 0 }, data).run(tree);
    return rejoin(output.join(''));
  }
}
