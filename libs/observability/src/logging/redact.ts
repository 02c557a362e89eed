const mark = '[redacted]';

/** Values that are secret wherever they stand: private keys, also cut off ones, JSON Web Tokens, bearer credentials. */
const secretTexts: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g, mark],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, mark],
  [/\b(bearer|basic)\s+[\w\-+/=.~]{8,}/gi, `$1 ${mark}`],
];

const secretName =
  /^(authorization|password|passwd|secret|token|access_?token|refresh_?token|jwt|private_?key|api_?key)$/i;

/** The text without the secrets in it. */
export function redact(text: string): string {
  return secretTexts.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}

/** Deeper than this a value is not copied. */
const maximumDepth = 8;

/** A copy of a value without the secrets in it: those known by their look, and what stands under a name that says so. */
export function redactValue(value: unknown, name = '', depth = 0): unknown {
  if (value === undefined || value === null) return value;
  if (secretName.test(name)) return mark;
  if (typeof value === 'string') return redact(value);
  if (value instanceof Error) return redact(value.message);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (typeof value !== 'object') return value;
  if (depth === maximumDepth) return '[...]';
  if (Array.isArray(value)) return value.map((item) => redactValue(item, '', depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactValue(item, key, depth + 1)]));
}
