import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Rejects if one of the ports is taken on any address. Envoy itself would not say: its listeners share a port with those of
 * another proxy on the host, and each would get a part of the connections. On the admin port an Envoy may still be running
 * whose agent was killed.
 */
export async function assertFree(ports: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, port] of Object.entries(ports)) if (port !== 0) await tryListen(name, port);
}

async function tryListen(name: string, port: number): Promise<void> {
  const server = createServer().listen(port, '0.0.0.0');
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(`${name} ${port}: ${error instanceof Error ? error.message : String(error)}`);
  }
  server.close();
  await once(server, 'close');
}
