import type { GatewayListener } from './managed-gateway.ts';

export interface GatewayPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP';
  readonly appProtocol: string;
}

const STATUS_PORT: GatewayPort = { name: 'status-port', port: 15_021, protocol: 'TCP', appProtocol: 'tcp' };

/** Ports of the Service of a gateway: the first listener of each port names it. */
export function servicePorts(listeners: readonly GatewayListener[], hasQuic: boolean): readonly GatewayPort[] {
  const names = new Set([STATUS_PORT.name]);
  const taken = new Set<number>();
  const ports = [STATUS_PORT];
  for (const [index, { name, port, protocol }] of listeners.entries()) {
    if (taken.has(port)) continue;
    taken.add(port);
    const appProtocol = protocol.toLowerCase();
    const wanted = name === '' ? `${appProtocol}-${index}` : name.replaceAll('.', '-').slice(0, MAX_LENGTH);
    const unique = uniqueName(wanted, port, names);
    ports.push({ name: unique, port, protocol: 'TCP', appProtocol });
    if (!hasQuic || appProtocol !== 'https') continue;
    ports.push({ name: uniqueName(`${unique}-quic`, port, names), port, protocol: 'UDP', appProtocol });
  }
  return ports;
}

const MAX_LENGTH = 63;

/** Names of listeners may be longer than those of ports and differ where these cannot; then the port tells them apart. */
function uniqueName(wanted: string, port: number, names: Set<string>): string {
  let name = wanted.slice(0, MAX_LENGTH);
  for (let suffix = `-${port}`; names.has(name); suffix += 'x')
    name = wanted.slice(0, MAX_LENGTH - suffix.length) + suffix;
  names.add(name);
  return name;
}
