/** A key with its certificate, and the roots by which to verify others. All are PEM. */
export interface WorkloadCertificate {
  readonly key: string;
  /** The leaf first. */
  readonly chain: string;
  readonly roots: string;
  /** When it came, in milliseconds since 1970. A certificate may be valid from before, for clocks that are late. */
  readonly issuedAt: number;
  /** Likewise. */
  readonly expiresAt: number;
}
