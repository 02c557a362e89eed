import { once } from 'node:events';
import { connect } from 'node:net';

export interface TcpProbe {
  readonly host: string;
  readonly port: number;
  /** The address to call from; absent: any. */
  readonly from?: string;
  readonly timeoutMs: number;
}

/** @throws Error where no connection can be made in time. */
export async function probeTcp({ host, port, from, timeoutMs }: TcpProbe): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  const socket = connect({ host, port, ...(from !== undefined && { localAddress: from }) });
  try {
    await once(socket, 'connect', { signal });
  } catch (error) {
    throw signal.aborted ? new Error(`no connection within ${timeoutMs} ms`) : error;
  } finally {
    socket.destroy();
  }
}
