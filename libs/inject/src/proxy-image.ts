import type { ProxyConfig } from './mesh.ts';
import type { ObjectMeta } from './pod.ts';
import type { InjectionValues } from './request.ts';

/** The type of the images of a pod: its own, else that of the proxy, else that of the installation. */
export const imageTypeOf = (
  { annotations }: ObjectMeta,
  { image }: ProxyConfig,
  { variant }: InjectionValues['global'],
): string | undefined =>
  annotations?.['sidecar.istio.io/proxyImageType'] ?? (image?.imageType || (variant as string | undefined));

const TYPES = /-(?:distroless|debug)$/;

export interface ImageParts {
  readonly hub: string;
  readonly tag: string;
  /** Name of the image; with a slash in it it's the whole reference. */
  readonly image: string;
  /** `default` is the image without a suffix; undefined leaves the tag as it is. */
  readonly type?: string | undefined;
}

/** The reference of a proxy image: the type is a suffix of the tag and takes the place of another type there. */
export function proxyImage({ hub, tag, image, type }: ImageParts): string {
  if (image.includes('/')) return image;
  const bare = type === undefined || type === '' ? tag : tag.replace(TYPES, '');
  return `${hub}/${image}:${bare}${type === undefined || type === '' || type === 'default' ? '' : `-${type}`}`;
}
