import { decode, type VirtualHost } from '@kedge/envoy-api';
import type { Generated } from '../guard.ts';
import type { EncodedPiece } from '../resource.ts';
import { patchDiagnostic } from './patch.ts';

/** A virtual host, and what it was before it was patched: nothing, where a patch adds it. */
export interface PatchedHost {
  readonly now: Generated<EncodedPiece>;
  readonly before?: Generated<EncodedPiece>;
  /** What an unpatched one claims, as far as that is known without a look into it. */
  readonly known?: Pick<VirtualHost, 'name' | 'domains'>;
}

const NOTHING: Generated<EncodedPiece> = { diagnostics: [] };

/**
 * Envoy refuses all routes if two virtual hosts have a name or a domain in common. A patch that brings one which is taken has
 * no effect on that virtual host, and is named.
 */
export function withoutClashes(hosts: readonly PatchedHost[]): readonly Generated<EncodedPiece>[] {
  const taken = new Set<string>();
  const claim = (claims: readonly string[]): void => claims.forEach((one) => taken.add(one));
  for (const host of hosts) if (host.now === host.before) claim(claimsOf(host));
  return hosts.map((host) => {
    const { now, before = NOTHING } = host;
    if (now === before || !now.value) return now;
    const claims = claimsOf(host);
    const lost = claims.find((one) => taken.has(one));
    if (lost === undefined) {
      claim(claims);
      return now;
    }
    const problem = `another virtual host has the ${lost}`;
    const [origin = { kind: 'EnvoyFilter', namespace: '', name: '' }] = now.from ?? [];
    return { ...before, diagnostics: [...now.diagnostics, patchDiagnostic(origin, 'duplicate-virtual-host', problem)] };
  });
}

function claimsOf({ now: { value }, known }: PatchedHost): readonly string[] {
  const { name = '', domains = [] } =
    known ?? (value ? decode('envoy.config.route.v3.VirtualHost', value.bytes) : { name: '', domains: [] });
  return [`name ${name}`, ...domains.map((domain) => `domain ${domain}`)];
}
