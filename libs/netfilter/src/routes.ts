import { CommandError, type Run } from './command.ts';
import { passthroughSource, type Family } from './family.ts';
import type { SidecarOptions } from './sidecar/options.ts';
import { connectionMarkOfZtunnel, hex, markMask } from './ambient/marks.ts';
import type { AmbientOptions } from './ambient/options.ts';

/** An address, rule or route: the arguments of `ip` without and with the verb. */
export interface RouteEntry {
  readonly family: Family;
  readonly object: 'address' | 'rule' | 'route';
  readonly words: readonly string[];
}

/** What redirection of a sidecar needs besides rules. */
export function sidecarRoutes(options: SidecarOptions): readonly RouteEntry[] {
  const { families, interception, inboundPorts, tproxyMark, tproxyRouteTable } = options;
  const usesTproxy = interception === 'TPROXY' && inboundPorts.length > 0;
  return [
    // All of 127.0.0.0/8 is on the loopback interface; of IPv6 only ::1 is, until told.
    ...(families.includes('ipv6')
      ? [{ family: 'ipv6', object: 'address', words: [passthroughSource.ipv6, 'dev', 'lo'] } as const]
      : []),
    ...(usesTproxy ? routedToLoopback(families, tproxyMark, tproxyRouteTable) : []),
  ];
}

/** What redirection of a pod in ambient mode needs besides rules. */
export function ambientPodRoutes({ enableIpv6 }: AmbientOptions): readonly RouteEntry[] {
  const mark = `${hex(connectionMarkOfZtunnel)}/${hex(markMask)}`;
  return routedToLoopback(enableIpv6 ? ['ipv4', 'ipv6'] : ['ipv4'], mark, '100');
}

/** Before the main table; a fixed place, for the kernel would add the same rule again at another one. */
const preference = '32764';

/** Marked packets are delivered to this host, whatever their address. */
function routedToLoopback(families: readonly Family[], mark: string, table: string): readonly RouteEntry[] {
  return families.flatMap((family): readonly RouteEntry[] => [
    { family, object: 'rule', words: ['pref', preference, 'fwmark', mark, 'lookup', table] },
    {
      family,
      object: 'route',
      words: ['local', family === 'ipv4' ? '0.0.0.0/0' : '::/0', 'dev', 'lo', 'table', table],
    },
  ]);
}

/** Makes entries; those that exist stay. */
export async function addRoutes(run: Run, entries: readonly RouteEntry[]): Promise<void> {
  for (const entry of entries) {
    const command = ipCommand('add', entry);
    const result = await run(command);
    if (result.code !== 0 && !/file exists|already assigned/i.test(result.stderr))
      throw new CommandError(command, result);
  }
}

/** Removes entries; those that don't exist are no error. */
export async function removeRoutes(run: Run, entries: readonly RouteEntry[]): Promise<void> {
  for (const entry of entries) await run(ipCommand('del', entry));
}

function ipCommand(verb: 'add' | 'del', { family, object, words }: RouteEntry) {
  return { program: 'ip', args: [family === 'ipv4' ? '-4' : '-6', object, verb, ...words] };
}
