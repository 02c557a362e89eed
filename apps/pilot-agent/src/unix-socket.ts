import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { GrpcServer } from '@kedge/grpc-server';

/** What the kernel takes as the address of a socket (`sun_path`, less the end of the text). */
const maxPathBytes = 107;

/** Serves on a Unix socket, in place of one that an agent before this one left behind. */
export async function listenOnSocket(server: GrpcServer, path: string): Promise<void> {
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw new Error(`the path of a socket is longer than ${maxPathBytes} bytes: ${path}`);
  }
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  await server.listen({ path });
}
