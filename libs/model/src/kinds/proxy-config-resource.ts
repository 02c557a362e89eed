import { WorkloadSelector } from './selector.ts';
import { type Of, map, message } from '../parse/message.ts';
import { int32, string } from '../parse/scalars.ts';

export const ProxyImage = message({
  imageType: string,
});
export type ProxyImage = Of<typeof ProxyImage>;

export const ProxyConfigResource = message({
  selector: WorkloadSelector,
  concurrency: int32,
  environmentVariables: map(string),
  image: ProxyImage,
});
export type ProxyConfigResource = Of<typeof ProxyConfigResource>;
