import { watch } from 'node:fs';
import type { Watch } from './plugged-in.ts';

/** How long a folder must be quiet: a mounted Secret changes in several steps. */
const quiet = 200;

/** Watches a folder by the means of the operating system. Throws where there is none. */
export const watchFolder: Watch = (folder, onChange) => {
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(folder, () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, quiet);
  });
  // A folder that goes away ends its watch; the authority stays as it is.
  watcher.on('error', () => watcher.close());
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watcher.close();
    },
  };
};
