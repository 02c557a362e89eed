import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { GrpcServer } from '@kedge/grpc-server';

/** Serves on a Unix socket, in place of one that an agent before this one left behind. */
export async function listenOnSocket(server: GrpcServer, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  await server.listen({ path });
}
