import type { MeshRead } from '@kedge/config';
import type { ExtensionProvider } from '@kedge/model';
import { meshConfig } from '@kedge/pushcontext';

/** The provider that Telemetry objects and the mesh's defaults call by a name, whatever its case. */
export function providerNamed(read: MeshRead, name: string): ExtensionProvider | undefined {
  const wanted = name.toLowerCase();
  return meshConfig(read).extensionProviders.find((provider) => provider.name.toLowerCase() === wanted);
}
