export { Answer, type EncodedResource, type Requirement } from './answer.ts';
export type { AdsPeer, AdsStream } from './ads-stream.ts';
export { type Clock, systemClock } from './clock.ts';
export type { DebounceOptions } from './debounce.ts';
export type { ConnectionRef, Protocol, SendReason, XdsEvent, XdsObserver } from './events.ts';
export {
  type ClientClass,
  debugGeneratorKey,
  debugTypePrefix,
  defaultGeneratorKey,
  type GenerateContext,
  GeneratorRegistry,
  type PushInfo,
  type XdsGenerator,
} from './generator-registry.ts';
export { type Nack, presentable } from './nack.ts';
export type {
  ConnectionStatus,
  ConnectResult,
  DiscoveryServerOptions,
  PushScope,
  Refusals,
  WatchStatus,
} from './options.ts';
export { LastAccepted, type SuspectEvent } from './refusals/last-accepted.ts';
export type { Suspect } from './refusals/suspect.ts';
export { Subscription, SubscriptionPool } from './subscription.ts';
export { pushOrder, TypeUrl } from './type-urls.ts';
export { DiscoveryServer } from './discovery-server.ts';
export { adsMethods, adsServiceName } from './grpc-service.ts';
