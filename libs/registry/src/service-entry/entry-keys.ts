import { istioSources, type MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';

/** The keys of all ServiceEntries, sorted. */
export const serviceEntryKeys = query('serviceEntryKeys', (read: MeshRead) => read.keys(istioSources.ServiceEntry));
