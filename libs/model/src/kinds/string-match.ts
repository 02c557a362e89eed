import { type Of, message } from '../parse/message.ts';
import { string } from '../parse/scalars.ts';

/** A test of a text; an empty one only asks for presence where a header is matched. */
export const StringMatch = message(
  {
    exact: string,
    prefix: string,
    regex: string,
  },
  ['exact', 'prefix', 'regex'],
);
export type StringMatch = Of<typeof StringMatch>;
