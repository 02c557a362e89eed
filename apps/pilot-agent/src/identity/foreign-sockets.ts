import { once } from 'node:events';
import { connect } from 'node:net';
import type { AgentEnvironment } from '../environment.ts';

/** The folders of sockets at which Envoy finds secrets. */
const workloadFolder = './var/run/secrets/workload-spiffe-uds';
const credentialFolder = './var/run/secrets/credential-uds';

/** The socket of the agent itself, by which it serves the workload's secrets. */
const ownSocket = 'socket';
export const ownSocketPath = `${workloadFolder}/${ownSocket}`;
/** By which it serves secrets in files where another program serves the workload's. */
export const fileSocketPath = `${credentialFolder}/files-socket`;

/** What other programs, such as a SPIRE agent, serve to Envoy. */
export interface ForeignSockets {
  /** The workload's certificate and its roots. */
  readonly workload: boolean;
  /** Secrets by the names of credentials. */
  readonly credentials: boolean;
}

/**
 * Finds the sockets that somebody serves. One that was left behind is none.
 * @throws Error where WORKLOAD_IDENTITY_SOCKET_FILE names one that nobody serves.
 */
export async function findForeignSockets({
  workloadIdentitySocketFile: file,
}: AgentEnvironment): Promise<ForeignSockets> {
  if (file.includes('/')) throw new Error(`WORKLOAD_IDENTITY_SOCKET_FILE ${file} is no name of a file but a path`);
  const [workload, credentials] = await Promise.all([
    isServed(`${workloadFolder}/${file}`),
    isServed(`${credentialFolder}/socket`),
  ]);
  if (!workload && file !== ownSocket) {
    throw new Error(`WORKLOAD_IDENTITY_SOCKET_FILE: nobody serves ${workloadFolder}/${file}`);
  }
  return { workload, credentials };
}

const timeoutMs = 1000;

async function isServed(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(timeoutMs) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
