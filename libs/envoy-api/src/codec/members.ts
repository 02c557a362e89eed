import type { unknownFields } from '../message.ts';

/** A message, map or struct while it is built. */
export interface Members {
  [member: string]: unknown;
  [unknownFields]?: Uint8Array;
}

/** Sets a member whose name comes from input; `__proto__` is a name like any other. */
export function setMember(members: Members, name: string, value: unknown): void {
  if (name !== '__proto__') members[name] = value;
  else Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}
