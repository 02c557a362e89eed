import type { Any } from '@kedge/envoy-api';

/** A resource that the agent itself asks the control plane for, on Envoy's stream; there is one of its type. */
export interface Watch {
  readonly typeUrl: string;
  /** Takes it; an error is told the control plane. */
  readonly accept: (resource: Any) => void;
}
