type LogFunction = (message: string) => void;

/** `folder/file.ts:LINE` of what called `log`. */
export function callSite(log: LogFunction): string {
  const [site = 'unknown'] = framesBelow(log);
  const [, path = site, line = '0'] = /\(?(?:file:\/\/)?([^()]*?):(\d+):\d+\)?$/.exec(site) ?? [];
  return `${path.split('/').slice(-2).join('/')}:${line}`;
}

/** The stack of the error that was logged, else that of the call of `log`. */
export function stackOf(error: unknown, log: LogFunction): string {
  return error instanceof Error && error.stack !== undefined ? error.stack : framesBelow(log).join('\n');
}

function framesBelow(log: LogFunction): readonly string[] {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, log);
  return (holder.stack ?? '').split('\n').slice(1);
}
