import { byteLength, utf8Decode, utf8Encode } from '../text/utf8.ts';

const space = 0x20;

/** Breaks a line at spaces into pieces of at most `width` bytes; words that are longer are broken only if `breakWords`. */
export const wrap = (text: string, width: number, separator: string, breakWords: boolean): string => {
  const bytes = utf8Encode(text);
  const limit = Math.max(width, 1);
  const newLine = separator === '' ? '\n' : separator;
  const cut = (start: number, end?: number): string => utf8Decode(bytes.subarray(start, end));
  let output = '';
  let offset = 0;
  while (bytes.length - offset > limit) {
    if (bytes[offset] === space) {
      offset++;
      continue;
    }
    const lastSpace = bytes.subarray(offset, offset + limit + 1).lastIndexOf(space);
    if (lastSpace >= 0) {
      output += cut(offset, offset + lastSpace) + newLine;
      offset += lastSpace + 1;
    } else if (breakWords) {
      output += cut(offset, offset + limit) + newLine;
      offset += limit;
    } else {
      const nextSpace = bytes.indexOf(space, offset + limit);
      if (nextSpace < 0) {
        output += cut(offset);
        offset = bytes.length;
      } else {
        output += cut(offset, nextSpace) + newLine;
        offset = nextSpace + 1;
      }
    }
  }
  return output + cut(offset);
};

const bytesOf = (text: string, start: number, end?: number): string =>
  utf8Decode(utf8Encode(text).subarray(start, end));

/** Shortens text to `width` bytes with an ellipsis at the end, and one at the start if `offset` lies far enough in. */
export const abbreviate = (text: string, offset: number, width: number): string => {
  if (text === '' || width < 4) return '';
  const length = byteLength(text);
  if (length <= width) return text;
  const kept = width - 3;
  const within = Math.min(offset, length);
  const left = length - within < kept ? length - kept : within;
  if (left <= 4) return `${bytesOf(text, 0, kept)}...`;
  if (width < 7) return '';
  if (left + kept < length) return `...${abbreviate(bytesOf(text, left), 0, kept)}`;
  return `...${bytesOf(text, length - kept)}`;
};
