/** What functions can't know by themselves. */
export interface SprigOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** IANA name of the zone that is local; UTC if not given. */
  readonly timeZone?: string;
  readonly randomBytes?: (count: number) => Uint8Array;
  /** What `env` and `expandenv` see. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The clear answer of `getHostByName`; empty if not given. */
  readonly resolveHost?: (name: string) => string;
}
