import { InvalidArgumentError } from 'commander';

/** A whole number on the command line. */
export function integer(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(text);
}
