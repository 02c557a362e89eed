import type { EnvoyAdmin } from '../envoy/admin.ts';

/** Whom the agent is beside: Envoy, or an application that speaks xDS itself. */
export interface Companion extends AsyncDisposable {
  /** Why it can't take traffic, or undefined if it can. */
  readonly notReadyReason: () => Promise<string | undefined>;
  /** Where its statistics are. */
  readonly admin?: EnvoyAdmin;
  /** Has it send its clients away, without an end. */
  readonly drain: () => void;
  /** Runs it until it shall end or does by itself; `skipDrain` aborts when it need not send its clients away first. */
  readonly run: (terminate: AbortSignal, skipDrain: AbortSignal) => Promise<void>;
}
