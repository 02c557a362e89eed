import type { MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { trustedRoots } from '@kedge/pushcontext';
import { type EncodedResource, encodeResource, sameVersion } from './resource.ts';

/** The part of a ProxyConfig that the proxy's agent is told as it changes: roots that are trusted beside its certificate's. */
export const trustBundle = query(
  'trustBundle',
  (read: MeshRead): readonly EncodedResource[] => {
    const caCertificatesPem = [...read(trustedRoots)];
    return caCertificatesPem.length === 0
      ? []
      : [encodeResource('istio.mesh.v1alpha1.ProxyConfig', '', { caCertificatesPem })];
  },
  (a, b) => sameVersion(a[0], b[0]),
);
