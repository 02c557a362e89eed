import { type Descriptor, type Manifest, mediaTypes, type RegistryClient } from './registry-client.ts';
import { unpackLayer } from './unpack.ts';

const moduleLayer = 'application/vnd.module.wasm.content.layer.v1+wasm';
/** Layers that are archives with the module as a file. */
const archiveLayers: readonly (string | undefined)[] = [
  'application/vnd.docker.image.rootfs.diff.tar.gzip',
  'application/vnd.oci.image.layer.v1.tar+gzip',
];

export interface OciImage {
  /** Of the image's manifest, in hexadecimal. */
  readonly digest: string;
  /** Downloads the module. */
  readonly module: () => Promise<Buffer>;
}

/** Looks up an image that holds a module, without downloading that. */
export async function findOciImage(client: RegistryClient, reference: string, maxBytes: number): Promise<OciImage> {
  const { manifest, digest } = await imageManifest(client, reference);
  return { digest, module: () => moduleOf(client, manifest, maxBytes) };
}

/** Of an index, the image for Linux; modules are the same for all machines. */
async function imageManifest(client: RegistryClient, reference: string) {
  const found = await client.manifest(reference);
  const { manifests, mediaType } = found.manifest;
  const isIndex = mediaType === mediaTypes.ociIndex || mediaType === mediaTypes.dockerIndex;
  if (!isIndex) return found;
  const isAmd64 = ({ platform }: Descriptor) => platform?.os === 'linux' && platform.architecture === 'amd64';
  const image = manifests?.find(isAmd64) ?? manifests?.[0];
  if (!image) throw new Error('the index has no image');
  return client.manifest(image.digest);
}

/** The last layer, as a file `plugin.wasm` in an archive, or the layer that is the module itself. */
async function moduleOf(client: RegistryClient, { layers = [] }: Manifest, maxBytes: number): Promise<Buffer> {
  const last = layers.at(-1);
  if (last && archiveLayers.includes(last.mediaType)) return unpackLayer(await client.blob(last.digest), maxBytes);
  const module = layers.find(({ mediaType }) => mediaType === moduleLayer);
  if (!module)
    throw new Error(`no layer of the image holds a module: ${layers.map(({ mediaType }) => mediaType).join()}`);
  return client.blob(module.digest);
}
