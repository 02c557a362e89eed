/** Resources of another type that Envoy waits for when it gets a resource, and doesn't ask for again by itself. */
export interface Requirement {
  readonly typeUrl: string;
  readonly names: readonly string[];
}

/** A resource as it goes on the wire. Made once, immutable, and shared by all who get it. */
export interface EncodedResource {
  readonly name: string;
  /** Hash of the content: equal exactly if the bytes are. */
  readonly version: string;
  /** An encoded `google.protobuf.Any`. */
  readonly any: Uint8Array;
  /**
   * What is sent again, whatever its version, to a subscriber that was sent this resource: the load assignment of an EDS
   * cluster (Envoy keeps a changed cluster warming until one arrives), the route configurations that a listener fetches.
   */
  readonly requires?: readonly Requirement[];
}
