import {
  type ActionNode,
  type BranchNode,
  type CommandNode,
  type ListNode,
  type Node,
  type OperandNode,
  type PipeNode,
  type TemplateNode,
} from '../syntax/ast.ts';
import { printNode, type AnyNode } from '../syntax/print.ts';
import { quote } from '../text/quote.ts';
import { call } from '../builtins/call.ts';
import { GoFunction } from '../value/function.ts';
import { isTrue } from '../value/truth.ts';
import { canBeNil, types, type GoType } from '../value/type.ts';
import { GoInt, GoList, GoMap, GoStruct, integerOf, typeName, type Methods, type Value } from '../value/value.ts';
import { formatValue } from '../format/value.ts';
import { executionError, isStackOverflow, TooDeep, tooDeep } from './execution-error.ts';
import { idealValue, literalValue } from './literal.ts';
import { asArgument, Boxed, element, unbox, zeroOf, type Operand } from './operand.ts';
import { FunctionError, TemplateError } from './template-error.ts';
import { type TemplateSet } from './template-set.ts';

interface Context {
  readonly set: TemplateSet;
  /** Of the template that runs. */
  readonly name: string;
  readonly output: string[];
  /** How many templates are on the way to this one. */
  readonly depth: number;
}

interface Variable {
  readonly name: string;
  value: Operand;
}

/** How a list of nodes was left. */
type Exit = 'break' | 'continue' | undefined;

/** No argument comes through the pipeline. */
const nothing = Symbol('nothing');
type Piped = Operand | typeof nothing;

const noArguments: readonly OperandNode[] = [];

/** How Go's reflection describes a value: text by itself, anything else by its type. */
const reflectText = (value: Value): string => (typeof value === 'string' ? value : `<${typeName(value)} Value>`);

const methodOf = <T>(self: T, methods: Methods<T> | undefined, name: string): GoFunction | undefined =>
  methods !== undefined && Object.hasOwn(methods, name) ? methods[name]!(self) : undefined;

/** One run of one template. */
export class Execution {
  readonly #context: Context;
  readonly #variables: Variable[];
  readonly #root: Value;
  /** Where errors are said to be. */
  #node: AnyNode | undefined;

  constructor(context: Context, data: Value) {
    this.#context = context;
    this.#root = data;
    this.#variables = [{ name: '$', value: data }];
  }

  run(tree: ListNode): void {
    try {
      this.#walk(this.#root, tree);
    } catch (error) {
      if (error instanceof FunctionError) this.#fail(error.message);
      // Where the stack has ended, there is no room for saying so.
      if (this.#context.depth > 0) throw error;
      if (error instanceof TooDeep) throw executionError(error.name, error.node, tooDeep);
      if (isStackOverflow(error)) this.#fail(tooDeep);
      throw error;
    }
  }

  #fail(message: string, cause?: unknown): never {
    throw executionError(this.#context.name, this.#node!, message, cause);
  }

  #walk(dot: Operand, node: Node): Exit {
    this.#node = node;
    switch (node.kind) {
      case 'text':
        this.#context.output.push(node.text);
        return undefined;
      case 'action':
        this.#action(dot, node);
        return undefined;
      case 'list':
        for (const item of node.nodes) {
          const exit = this.#walk(dot, item);
          if (exit !== undefined) return exit;
        }
        return undefined;
      case 'if':
      case 'with':
        return this.#condition(dot, node);
      case 'range':
        return this.#range(dot, node);
      case 'template':
        this.#template(dot, node);
        return undefined;
      case 'break':
      case 'continue':
        return node.kind;
    }
  }

  #action(dot: Operand, node: ActionNode): void {
    const value = this.#pipeline(dot, node.pipe);
    if (node.pipe.variables.length > 0) return;
    this.#node = node;
    if (value instanceof GoFunction) this.#fail(`can't print ${printNode(node)} of type ${typeName(value)}`);
    this.#context.output.push(value === undefined ? '<no value>' : formatValue(value, 'v'));
  }

  #condition(dot: Operand, node: BranchNode): Exit {
    const mark = this.#variables.length;
    const value = this.#pipeline(dot, node.pipe);
    let exit: Exit;
    if (isTrue(value)) exit = this.#walk(node.kind === 'with' ? value : dot, node.body);
    else if (node.otherwise !== undefined) exit = this.#walk(dot, node.otherwise);
    this.#variables.length = mark;
    return exit;
  }

  #range(dot: Operand, node: BranchNode): Exit {
    const mark = this.#variables.length;
    const value = this.#pipeline(dot, node.pipe);
    let ran = false;
    for (const [index, item] of this.#iterate(value, node.pipe.variables.length)) {
      ran = true;
      if (this.#iteration(node, index, item) === 'break') break;
    }
    const exit = ran || node.otherwise === undefined ? undefined : this.#walk(dot, node.otherwise);
    this.#variables.length = mark;
    return exit;
  }

  #iteration(node: BranchNode, index: Value, item: Operand): Exit {
    const { variables, assigns } = node.pipe;
    const mark = this.#variables.length;
    const values: readonly Operand[] = variables.length > 1 ? [index, item] : [item];
    variables.forEach(({ name }, position) => {
      if (assigns) this.#assign(name, values[position]);
      else this.#variables[mark - variables.length + position]!.value = values[position];
    });
    const exit = this.#walk(item, node.body);
    this.#variables.length = mark;
    return exit;
  }

  *#iterate(value: Value, variables: number): Generator<readonly [Value, Operand]> {
    const count = integerOf(value);
    if (count !== undefined) {
      if (variables > 1) this.#fail(`can't use ${formatValue(value, 'v')} to iterate over more than one variable`);
      for (let index = 0n; index < count; index++) {
        yield [undefined, value instanceof GoInt ? new GoInt(value.type.kind as 'int64', index) : index];
      }
    } else if (value instanceof GoList) {
      for (const [index, item] of value.items.entries()) yield [BigInt(index), element(item, value.type)];
    } else if (value instanceof GoMap) {
      for (const key of value.sortedKeys()) yield [key, element(value.entries.get(key), value.type)];
    } else if (value !== undefined) {
      this.#fail(`range can't iterate over ${formatValue(value, 'v')}`);
    }
  }

  #template(dot: Operand, node: TemplateNode): void {
    const { set, output, depth } = this.#context;
    const tree = set.tree(node.name);
    if (tree === undefined) this.#fail(`template ${quote(node.name)} not defined`);
    const data = node.pipe && this.#pipeline(dot, node.pipe);
    try {
      new Execution({ set, output, name: node.name, depth: depth + 1 }, data).run(tree);
    } catch (error) {
      throw isStackOverflow(error) ? new TooDeep(this.#context.name, node) : error;
    }
  }

  #variable(name: string): Variable {
    return this.#variables.findLast((variable) => variable.name === name) ?? this.#fail(`undefined variable: ${name}`);
  }

  #assign(name: string, value: Operand): void {
    this.#variable(name).value = value;
  }

  #pipeline(dot: Operand, pipe: PipeNode): Value {
    this.#node = pipe;
    let piped: Piped = nothing;
    for (const command of pipe.commands) piped = unbox(this.#command(dot, command, piped));
    const value = piped as Value;
    for (const { name } of pipe.variables) {
      if (pipe.assigns) this.#assign(name, value);
      else this.#variables.push({ name, value });
    }
    return value;
  }

  #command(dot: Operand, command: CommandNode, piped: Piped): Operand {
    const first = command.operands[0]!;
    const args = command.operands.slice(1);
    const refuseArguments = (): void => {
      if (args.length > 0 || piped !== nothing) this.#fail(`can't give argument to non-function ${printNode(first)}`);
    };
    switch (first.kind) {
      case 'field':
      case 'chain':
      case 'variable':
        return this.#access(dot, first, args, piped, refuseArguments);
      case 'identifier':
        return this.#function(dot, first.name, first, command, args, piped);
      case 'pipe':
        refuseArguments();
        return this.#pipeline(dot, first);
      default:
        this.#node = first;
        refuseArguments();
        if (first.kind === 'dot') return dot;
        return first.kind === 'nil' ? this.#fail('nil is not a command') : idealValue(first);
    }
  }

  /** Fields of dot, of a variable, or of a pipeline's value. */
  #access(
    dot: Operand,
    node: OperandNode & { readonly kind: 'field' | 'chain' | 'variable' },
    args: readonly OperandNode[],
    piped: Piped,
    refuseArguments?: () => void,
  ): Operand {
    this.#node = node;
    let receiver: Operand;
    if (node.kind === 'field') receiver = dot;
    else if (node.kind === 'variable') receiver = this.#variable(node.name).value;
    else receiver = this.#anyOperand(dot, node.operand);
    if (node.fields.length === 0) {
      refuseArguments?.();
      return receiver;
    }
    const last = node.fields.length - 1;
    for (const name of node.fields.slice(0, last))
      receiver = this.#field(dot, receiver, name, node, noArguments, nothing);
    return this.#field(dot, receiver, node.fields[last]!, node, args, piped);
  }

  #field(
    dot: Operand,
    receiver: Operand,
    name: string,
    node: OperandNode,
    args: readonly OperandNode[],
    piped: Piped,
  ): Operand {
    const { missingKey } = this.#context.set;
    if (receiver === undefined) {
      if (missingKey === 'error') this.#fail(`nil data; no entry for key ${quote(name)}`);
      return undefined;
    }
    if (receiver === null) return this.#fail(`nil pointer evaluating interface {}.${name}`);
    const value = receiver instanceof Boxed ? receiver.value : receiver;
    const method = this.#method(value, name);
    if (method !== undefined) return this.#call(dot, method, name, node, args, piped);
    const hasArguments = args.length > 0 || piped !== nothing;
    if (value instanceof GoStruct && value.fields.has(name)) {
      if (hasArguments) this.#fail(`${name} has arguments but cannot be invoked as function`);
      return value.fields.get(name);
    }
    if (value instanceof GoMap) {
      if (hasArguments) this.#fail(`${name} is not a method but has arguments`);
      if (value.entries.has(name)) return element(value.entries.get(name) ?? null, value.type);
      if (missingKey === 'error') this.#fail(`map has no entry for key ${quote(name)}`);
      return missingKey === 'zero' ? zeroOf(value.type.elem!) : undefined;
    }
    const type = receiver instanceof Boxed ? types.any.name : typeName(value);
    return this.#fail(`can't evaluate field ${name} in type ${type}`);
  }

  #method(value: NonNullable<Value>, name: string): GoFunction | undefined {
    if (value instanceof GoStruct) return methodOf(value, value.methods, name);
    if (value instanceof GoMap) return methodOf(value, value.methods, name);
    return value instanceof GoList ? methodOf(value, value.methods, name) : undefined;
  }

  #function(
    dot: Operand,
    name: string,
    node: OperandNode,
    command: AnyNode,
    args: readonly OperandNode[],
    piped: Piped,
  ): Value {
    this.#node = node;
    const found = this.#context.set.function(name);
    if (found === undefined) return this.#fail(`${quote(name)} is not a defined function`);
    const { implementation, isBuiltin } = found;
    if (isBuiltin && (name === 'and' || name === 'or')) {
      this.#checkCount(implementation, name, args, piped);
      return this.#shortCircuit(dot, name === 'or', args, piped);
    }
    if (isBuiltin && name === 'call') {
      const callee = args[0] === undefined ? reflectText(unbox(piped as Operand)) : printNode(args[0]);
      return this.#call(dot, call(callee), name, command, args, piped);
    }
    return this.#call(dot, implementation, name, command, args, piped);
  }

  #shortCircuit(dot: Operand, wanted: boolean, args: readonly OperandNode[], piped: Piped): Value {
    let value: Value;
    for (const arg of args) {
      value = this.#argument(dot, arg, types.reflectValue);
      if (isTrue(value) === wanted) return value;
    }
    return piped === nothing ? value : unbox(piped);
  }

  #checkCount(callee: GoFunction, name: string, args: readonly OperandNode[], piped: Piped): void {
    const count = args.length + (piped === nothing ? 0 : 1);
    const wanted = callee.params.length;
    if (callee.rest === undefined && count !== wanted) {
      this.#fail(`wrong number of args for ${name}: want ${wanted} got ${count}`);
    }
    if (callee.rest !== undefined && count < wanted) {
      this.#fail(`wrong number of args for ${name}: want at least ${wanted} got ${args.length}`);
    }
  }

  #call(
    dot: Operand,
    callee: GoFunction,
    name: string,
    node: AnyNode,
    args: readonly OperandNode[],
    piped: Piped,
  ): Value {
    this.#checkCount(callee, name, args, piped);
    const values = args.map((arg, index) => this.#argument(dot, arg, callee.paramType(index)!));
    if (piped !== nothing) values.push(this.#checked(piped, callee.paramType(args.length)!));
    try {
      return callee.call(values);
    } catch (error) {
      if (!(error instanceof FunctionError) && !(error instanceof TemplateError)) throw error;
      this.#node = node;
      return this.#fail(`error calling ${name}: ${error.message}`, error);
    }
  }

  #checked(operand: Operand, type: GoType): Value {
    return asArgument(operand, type);
  }

  #argument(dot: Operand, node: OperandNode, type: GoType): Value {
    this.#node = node;
    switch (node.kind) {
      case 'nil':
        if (canBeNil(type)) return type === types.reflectValue ? undefined : null;
        return this.#fail(`cannot assign nil to ${type.name}`);
      case 'bool':
      case 'number':
      case 'string':
        return literalValue(node, type);
      default:
        return this.#checked(this.#anyOperand(dot, node), type);
    }
  }

  /** An operand by itself: without arguments, of any type. */
  #anyOperand(dot: Operand, node: OperandNode): Operand {
    this.#node = node;
    switch (node.kind) {
      case 'dot':
        return dot;
      case 'pipe':
        return this.#pipeline(dot, node);
      case 'identifier':
        return this.#function(dot, node.name, node, node, noArguments, nothing);
      case 'field':
      case 'chain':
      case 'variable':
        return this.#access(dot, node, noArguments, nothing);
      case 'nil':
        return this.#fail('evalArg: nil');
      default:
        return idealValue(node);
    }
  }
}
