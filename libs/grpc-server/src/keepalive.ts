import type { ServerHttp2Session } from 'node:http2';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface KeepaliveOptions {
  /** After so long without a byte from the client it is pinged. */
  readonly intervalMs: number;
  /** A ping that is unanswered for so long means that the client is dead. */
  readonly timeoutMs: number;
}

/** The time-out passes in steps, so that a stall of this process counts as one of them and not as a silent client. */
const timeoutSteps = 5;

/** Pings a silent client and calls `onDead` once it doesn't answer. Dispose when the session closes. */
export function watchPeer(
  session: ServerHttp2Session,
  socket: Duplex,
  { intervalMs, timeoutMs }: KeepaliveOptions,
  onDead: () => void,
): Disposable {
  let received = bytesRead(socket);
  let timer: NodeJS.Timeout | undefined;

  const isSilent = (): boolean => {
    const former = received;
    received = bytesRead(socket);
    return received === undefined || received === former;
  };
  const awaitAnswer = (steps: number): void => {
    if (steps === 0) onDead();
    else timer = setTimeout(() => awaitAnswer(steps - 1), timeoutMs / timeoutSteps).unref();
  };
  const check = (): void => {
    if (session.destroyed || timer !== undefined || !isSilent()) return;
    awaitAnswer(timeoutSteps);
    session.ping(stop);
  };
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };

  const interval = setInterval(check, intervalMs).unref();
  return {
    [Symbol.dispose]: () => {
      clearInterval(interval);
      stop();
    },
  };
}

function bytesRead(socket: Duplex): number | undefined {
  return socket instanceof Socket ? socket.bytesRead : undefined;
}
