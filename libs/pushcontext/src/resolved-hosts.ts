import { source } from '@kedge/incremental';

/**
 * The addresses that name servers gave for a host, sorted. Asking them is done outside; a host that isn't there was not
 * resolved, or not with success.
 */
export const resolvedHostsSource = source<readonly string[]>('ResolvedHosts');
