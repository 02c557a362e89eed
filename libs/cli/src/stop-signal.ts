import type { Logger } from '@kedge/observability';

/** Aborts when the process is asked to end (SIGTERM, SIGINT), until it is disposed of. */
export function stopSignal(log: Pick<Logger, 'info'>): Disposable & { readonly signal: AbortSignal } {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info(`received ${signal}`);
    stop.abort();
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  return {
    signal: stop.signal,
    [Symbol.dispose]: () => void process.off('SIGTERM', onSignal).off('SIGINT', onSignal),
  };
}
