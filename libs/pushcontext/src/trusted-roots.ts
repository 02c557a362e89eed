import { type MeshRead, SINGLE } from '@kedge/config';
import { query, source } from '@kedge/incremental';
import { alike } from './equality.ts';
import { meshConfig } from './mesh.ts';

/** The roots of the mesh's certificate authority as PEM, one a text, under {@link SINGLE}. */
export const trustedRootsSource = source<readonly string[]>('TrustedRoots', alike);

/** The roots that workloads of the mesh trust: those of its authority, and those that its configuration names. Each once, sorted. */
export const trustedRoots = query(
  'trustedRoots',
  (read: MeshRead): readonly string[] => {
    const named = meshConfig(read).caCertificates.map(({ pem = '' }) => pem.trim());
    const own = (read.get(trustedRootsSource, SINGLE) ?? []).map((pem) => pem.trim());
    return [...new Set([...own, ...named])].filter((pem) => pem !== '').sort();
  },
  alike,
);
