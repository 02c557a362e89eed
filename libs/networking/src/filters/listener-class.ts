/** What a listener is for: traffic into the workload, out of it, or through a gateway. */
export type ListenerClass = 'inbound' | 'outbound' | 'gateway';
