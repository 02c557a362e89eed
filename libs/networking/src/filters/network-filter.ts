import { type MessageName, type Messages, packAny } from '@kedge/envoy-api';

export type NetworkFilter = Messages['envoy.config.listener.v3.Filter'];
export type HttpFilter = Messages['envoy.extensions.filters.network.http_connection_manager.v3.HttpFilter'];
export type ListenerFilter = Messages['envoy.config.listener.v3.ListenerFilter'];

interface Filter {
  readonly name: string;
  readonly typedConfig: ReturnType<typeof packAny>;
}

/** A filter of any kind: all three are a name with a configuration. */
export function filter<N extends MessageName>(name: string, type: N, config: Messages[N]): Filter {
  return { name, typedConfig: packAny(type, config) };
}

/** A filter of Istio's whose configuration is given as a struct, so that its type need not be known. */
export function structFilter(name: string, type: string, value: Messages['google.protobuf.Struct']): Filter {
  return filter(name, 'udpa.type.v1.TypedStruct', { typeUrl: `type.googleapis.com/${type}`, value });
}
