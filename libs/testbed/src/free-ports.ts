import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/** Ports from here up to where the kernel begins to take ports for outgoing connections. */
const LOWEST = 20_000;
const MOST_ATTEMPTS = 1000;

/**
 * Ports that nobody listens on, on any address. They lie outside the range from which the kernel picks by itself, so
 * neither a connection nor a listener on port 0 takes one before its owner binds it.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const highest = firstEphemeralPort() - 1;
  const held = new Map<number, Server>();
  try {
    for (let attempt = 0; held.size < count; attempt++) {
      if (attempt === MOST_ATTEMPTS) throw new Error(`there are no ${count} free ports from ${LOWEST} to ${highest}`);
      const port = LOWEST + Math.floor(Math.random() * (highest - LOWEST + 1));
      const server = held.has(port) ? undefined : await tryListen(port);
      if (server) held.set(port, server);
    }
    return [...held.keys()];
  } finally {
    for (const server of held.values()) server.close();
    await Promise.all([...held.values()].map((server) => once(server, 'close')));
  }
}

async function tryListen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '0.0.0.0');
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

function firstEphemeralPort(): number {
  const [low] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/);
  const port = Number(low);
  return port > LOWEST + 1000 ? port : 65_536;
}
