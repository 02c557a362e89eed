/** A request that the API server refused; `Status` of Kubernetes. */
export class KubeError extends Error {
  /** Of HTTP. */
  readonly code: number;
  /** One word for programs, as `AlreadyExists`; empty where the answer has none. */
  readonly reason: string;

  constructor(code: number, body: string) {
    const { message, reason } = statusOf(body);
    super(message || `the API server answers with status ${code}`);
    this.name = 'KubeError';
    this.code = code;
    this.reason = reason;
  }
}

/** What isn't a `Status` may be anything, also a page of a proxy; it is told nobody. */
function statusOf(body: string): { readonly message: string; readonly reason: string } {
  let status: { readonly kind?: unknown; readonly message?: unknown; readonly reason?: unknown } = {};
  try {
    status = Object(JSON.parse(body)) as typeof status;
  } catch {
    // Told by its status only.
  }
  const text = (value: unknown): string => (status.kind === 'Status' && typeof value === 'string' ? value : '');
  return { message: text(status.message), reason: text(status.reason) };
}
