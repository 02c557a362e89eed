import { type NumberLiteral } from './number.ts';

/** Where a node is: an offset in UTF-16 units within `source`. */
interface Placed {
  readonly offset: number;
  readonly source: Source;
}

/** The text that a template was parsed from, and the name that errors give it. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

export type Node = TextNode | ActionNode | BranchNode | TemplateNode | LoopNode | ListNode;

export interface ListNode extends Placed {
  readonly kind: 'list';
  readonly nodes: Node[];
}

export interface TextNode extends Placed {
  readonly kind: 'text';
  readonly text: string;
}

export interface ActionNode extends Placed {
  readonly kind: 'action';
  readonly pipe: PipeNode;
}

export interface BranchNode extends Placed {
  readonly kind: 'if' | 'with' | 'range';
  readonly pipe: PipeNode;
  readonly body: ListNode;
  readonly otherwise: ListNode | undefined;
}

export interface LoopNode extends Placed {
  readonly kind: 'break' | 'continue';
}

export interface TemplateNode extends Placed {
  readonly kind: 'template';
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}

export interface PipeNode extends Placed {
  readonly kind: 'pipe';
  /** Variables that are declared (`:=`) or assigned (`=`). */
  readonly variables: VariableNode[];
  readonly assigns: boolean;
  readonly commands: CommandNode[];
}

export interface CommandNode extends Placed {
  readonly kind: 'command';
  readonly operands: OperandNode[];
}

/** What a command is made of. */
export type OperandNode =
  | ChainNode
  | FieldNode
  | IdentifierNode
  | PipeNode
  | VariableNode
  | LiteralNode
  | (Placed & { readonly kind: 'dot' })
  | (Placed & { readonly kind: 'nil' });

export interface IdentifierNode extends Placed {
  readonly kind: 'identifier';
  readonly name: string;
}

/** `$name.field.field` */
export interface VariableNode extends Placed {
  readonly kind: 'variable';
  readonly name: string;
  readonly fields: readonly string[];
}

/** `.field.field` */
export interface FieldNode extends Placed {
  readonly kind: 'field';
  readonly fields: readonly string[];
}

/** Fields of anything else: `(pipeline).field.field` */
export interface ChainNode extends Placed {
  readonly kind: 'chain';
  readonly operand: OperandNode;
  readonly fields: readonly string[];
}

export type LiteralNode =
  | (Placed & { readonly kind: 'bool'; readonly value: boolean })
  | (Placed & { readonly kind: 'number'; readonly text: string; readonly value: NumberLiteral })
  | (Placed & { readonly kind: 'string'; readonly quoted: string; readonly value: string });

/** Nothing but white space: such a definition doesn't take the place of another. */
export const isEmpty = (list: ListNode): boolean =>
  list.nodes.every(
    (node) => (node.kind === 'text' && node.text.trim() === '') || (node.kind === 'list' && isEmpty(node)),
  );
