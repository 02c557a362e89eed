/** A refusal, fit to be logged and shown. */
export interface Nack {
  /** Code of `google.rpc.Status`. */
  readonly code: number;
  /** Cut and redacted. */
  readonly message: string;
  readonly at: number;
}

const maxLength = 1_000;

/** Envoy quotes the resource that it refuses, which may hold keys, tokens and certificates. */
const secrets: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(?:-----END [A-Z0-9 ]+-----|$)/g, '[PEM redacted]'],
  [/\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, '[token redacted]'],
  [/\b(Bearer|Basic)\s+\S+/gi, '$1 [redacted]'],
  [
    /\b(inline_?(?:bytes|string)|private_?key|password|token|secret)("?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|\S+)/gi,
    '$1$2[redacted]',
  ],
  [/[A-Za-z0-9+/_-]{120,}={0,2}/g, '[bytes redacted]'],
];

/** The refusal in a request's `error_detail`. */
export function nackOf(status: { readonly code?: number; readonly message?: string }, at: number): Nack {
  return { code: status.code ?? 0, message: presentable(status.message ?? ''), at };
}

/** An error text of a client without what may be secret, and not longer than is useful. */
export function presentable(text: string): string {
  // Cut far beyond the limit first: patterns shouldn't run over megabytes.
  let clean = text.slice(0, 16 * maxLength);
  for (const [pattern, replacement] of secrets) clean = clean.replace(pattern, replacement);
  return clean.length <= maxLength ? clean : `${clean.slice(0, maxLength)}…`;
}
