import { type Of, message } from '../parse/message.ts';
import { string } from '../parse/scalars.ts';

export const StringMatch = message(
  {
    exact: string,
    prefix: string,
    regex: string,
  },
  ['exact', 'prefix', 'regex'],
);
export type StringMatch = Of<typeof StringMatch>;
