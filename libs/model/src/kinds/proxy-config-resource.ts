import { type Of, map, message } from '../parse/message.ts';
import { int32, string } from '../parse/scalars.ts';
import { WorkloadSelector } from './selector.ts';

export const ProxyImage = message({
  imageType: string,
});
export type ProxyImage = Of<typeof ProxyImage>;

/** The object `ProxyConfig`: settings that override the mesh's proxy configuration for selected workloads. */
export const ProxyConfigResource = message({
  selector: WorkloadSelector,
  concurrency: int32,
  environmentVariables: map(string),
  image: ProxyImage,
});
export type ProxyConfigResource = Of<typeof ProxyConfigResource>;
