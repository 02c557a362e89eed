/** Whether an error of Node's has this code (`ENOENT`). */
export function isErrorCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}

/** The message of what was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
