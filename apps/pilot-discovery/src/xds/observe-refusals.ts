import type { Logger } from '@kedge/observability';
import type { PushContext } from '@kedge/pushcontext';
import { culprits, originText, type RefusalEvent, servedInstead } from './refusals.ts';
import { shortType } from './short-type.ts';

/** Logs what is kept from proxies, with the objects that are to blame, and when that ends. */
export function observeRefusals(log: Logger, snapshot: () => PushContext): (event: RefusalEvent) => void {
  return ({ kind, suspect }) => {
    const { typeUrl, name, nack, clientClass, convicted } = suspect;
    const resource = `${shortType(typeUrl).toUpperCase()}: ${name}`;
    switch (kind) {
      case 'convicted':
        log.warn(`${resource} is refused, and kept from proxies of that kind`, {
          proxies: clientClass,
          error: nack.message,
          from: culprits(snapshot(), suspect).map(originText),
          served: servedInstead(suspect),
        });
        break;
      case 'accepted':
      case 'replaced':
        if (convicted) log.info(`${resource} is no longer kept from proxies`, { proxies: clientClass, because: kind });
        break;
      case 'suspected':
        break;
    }
  };
}
