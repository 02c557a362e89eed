import { quote } from '../text/quote.ts';
import { byteLength } from '../text/utf8.ts';
import { type CommandNode, type Node, type OperandNode, type PipeNode } from './ast.ts';

export type AnyNode = Node | PipeNode | CommandNode | OperandNode;

const list = (nodes: readonly AnyNode[]): string => nodes.map(printNode).join('');

const parenthesised = (node: AnyNode): string => (node.kind === 'pipe' ? `(${printNode(node)})` : printNode(node));

const printPipe = (pipe: PipeNode): string => {
  const names = pipe.variables.map(printNode).join(', ');
  const assignment = names === '' ? '' : `${names} ${pipe.assigns ? '=' : ':='} `;
  return assignment + pipe.commands.map(printNode).join(' | ');
};

/** A node as errors quote it: the source in its plainest form. */
export const printNode = (node: AnyNode): string => {
  switch (node.kind) {
    case 'list':
      return list(node.nodes);
    case 'text':
      return node.text;
    case 'action':
      return `{{${printNode(node.pipe)}}}`;
    case 'if':
    case 'with':
    case 'range': {
      const otherwise = node.otherwise === undefined ? '' : `{{else}}${printNode(node.otherwise)}`;
      return `{{${node.kind} ${printNode(node.pipe)}}}${printNode(node.body)}${otherwise}{{end}}`;
    }
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`;
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe === undefined ? '' : ` ${printNode(node.pipe)}`}}}`;
    case 'pipe':
      return printPipe(node);
    case 'command':
      return node.operands.map(parenthesised).join(' ');
    case 'identifier':
      return node.name;
    case 'variable':
      return [node.name, ...node.fields].join('.');
    case 'field':
      return node.fields.map((field) => `.${field}`).join('');
    case 'chain':
      return [parenthesised(node.operand), ...node.fields].join('.');
    case 'bool':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return node.quoted;
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
  }
};

/** Line (from 1) and column (from 0, in bytes) of a node. */
export const positionOf = ({ source, offset }: AnyNode): { readonly line: number; readonly column: number } => {
  const before = source.text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: byteLength(before.slice(lineStart)) };
};
