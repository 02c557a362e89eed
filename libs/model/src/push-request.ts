/** Identity of a configuration object: what change events, push requests and the store speak of. */
export interface ConfigKey {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export const configKeyText = ({ kind, namespace, name }: ConfigKey): string => `${kind}/${namespace}/${name}`;

/** Why a push happens; the labels of the metric `pilot_push_triggers`. */
export type TriggerReason =
  | 'endpoint'
  | 'config'
  | 'service'
  | 'proxyupdate'
  | 'global'
  | 'unknown'
  | 'debug'
  | 'secret'
  | 'networks'
  | 'proxy'
  | 'namespace'
  | 'headless'
  | 'cluster'
  | 'dependent';

/** Asks for a push: what changed since the last one, and why. Requests that wait are merged. */
export interface PushRequest {
  /** The objects that changed, by {@link configKeyText}; merged requests hold each once. */
  readonly configsUpdated: ReadonlyMap<string, ConfigKey>;
  /** How many events of each reason have been merged. */
  readonly reason: ReadonlyMap<TriggerReason, number>;
  /** When the first of the merged events arrived, milliseconds since the epoch. */
  readonly start: number;
}

export function pushRequest(keys: readonly ConfigKey[], reason: TriggerReason, start: number): PushRequest {
  return {
    configsUpdated: new Map(keys.map((key) => [configKeyText(key), key])),
    reason: new Map([[reason, 1]]),
    start,
  };
}

/** Both requests in one; neither is changed. */
export function mergePushRequests(first: PushRequest, second: PushRequest): PushRequest {
  const reason = new Map(first.reason);
  for (const [why, count] of second.reason) reason.set(why, (reason.get(why) ?? 0) + count);
  return {
    configsUpdated: new Map([...first.configsUpdated, ...second.configsUpdated]),
    reason,
    start: Math.min(first.start, second.start),
  };
}
