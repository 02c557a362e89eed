import { type TemplateNode } from '../syntax/ast.ts';
import { positionOf, printNode, type AnyNode } from '../syntax/print.ts';
import { quote } from '../text/quote.ts';
import { TemplateError } from './template-error.ts';

/** Go's limit; the stack ends before it is reached. */
export const tooDeep = 'exceeded maximum template depth (100000)';

/** The stack has ended in a template that this node calls. */
export class TooDeep {
  readonly name: string;
  readonly node: TemplateNode;

  constructor(name: string, node: TemplateNode) {
    this.name = name;
    this.node = node;
  }
}

/** Regular expressions that find no room are said to be wrong. */
export const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError || (error instanceof SyntaxError && error.message.endsWith('Stack overflow'));

export const executionError = (name: string, node: AnyNode, message: string, cause?: unknown): TemplateError => {
  const { line, column } = positionOf(node);
  const template = node.source.name;
  const context = `executing ${quote(name)} at <${printNode(node)}>`;
  return new TemplateError(
    `template: ${template}:${line}:${column}: ${context}: ${message}`,
    { template, line, column },
    { cause },
  );
};
