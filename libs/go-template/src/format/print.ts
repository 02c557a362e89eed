import { formatValue } from './value.ts';
import { type Value } from '../value/value.ts';

/** Go's `fmt.Sprint`: a space between two values neither of which is a string. */
export const sprint = (values: readonly Value[]): string => {
  let text = '';
  values.forEach((value, index) => {
    const previous = values[index - 1];
    if (index > 0 && typeof value !== 'string' && typeof previous !== 'string') text += ' ';
    text += formatValue(value, 'v');
  });
  return text;
};

export const sprintln = (values: readonly Value[]): string =>
  `${values.map((value) => formatValue(value, 'v')).join(' ')}\n`;
