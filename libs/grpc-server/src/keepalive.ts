import type { ServerHttp2Session } from 'node:http2';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface KeepaliveOptions {
  /** After so long without a byte from the client it is pinged. */
  readonly intervalMs: number;
  /** A ping that is unanswered for so long means that the client is dead. */
  readonly timeoutMs: number;
}

/** Pings a silent client and calls `onDead` once it doesn't answer. Dispose when the session closes. */
export function watchPeer(
  session: ServerHttp2Session,
  socket: Duplex,
  { intervalMs, timeoutMs }: KeepaliveOptions,
  onDead: () => void,
): Disposable {
  let received = bytesRead(socket);
  let timeout: NodeJS.Timeout | undefined;

  const idle = (): boolean => {
    const former = received;
    received = bytesRead(socket);
    return received === undefined || received === former;
  };
  const check = (): void => {
    if (session.destroyed || timeout !== undefined || !idle()) return;
    timeout = setTimeout(() => {
      // An answer may have arrived while this process was busy: let the event loop read it before judging.
      setImmediate(() => {
        if (timeout !== undefined) onDead();
      });
    }, timeoutMs).unref();
    session.ping(() => {
      clearTimeout(timeout);
      timeout = undefined;
    });
  };

  const interval = setInterval(check, intervalMs).unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(interval);
      clearTimeout(timeout);
      timeout = undefined;
    },
  };
}

function bytesRead(socket: Duplex): number | undefined {
  return socket instanceof Socket ? socket.bytesRead : undefined;
}
