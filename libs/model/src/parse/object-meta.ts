import { z } from 'zod';
import { int64, string } from './scalars.ts';
import { type Of, map, message } from './message.ts';

const timestamp = z.string().transform((text, context) => {
  const milliseconds = Date.parse(text);
  if (!Number.isNaN(milliseconds)) return milliseconds;
  context.addIssue({ code: 'custom', message: `"${text}" is not an RFC 3339 time` });
  return z.NEVER;
});

/** What is read of a Kubernetes object's metadata. Its other fields mean nothing here and may be there. */
export const ObjectMeta = message({
  name: string,
  namespace: string,
  labels: map(string),
  annotations: map(string),
  creationTimestamp: timestamp,
  resourceVersion: string,
  generation: int64,
  uid: string,
});
export type ObjectMeta = Of<typeof ObjectMeta>;
