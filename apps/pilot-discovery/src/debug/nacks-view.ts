import { TYPE_URLS } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';
import { culprits, type MeshSuspect, servedInstead } from '../xds/refusals.ts';
import { shortType } from '../xds/short-type.ts';
import type { Client } from './clients-view.ts';

/** What proxies refuse: the resources that are kept from them, and the clients whose last answer was refused. */
export function nacks(push: PushContext, suspects: readonly MeshSuspect[], clients: readonly Client[]): unknown {
  return {
    resources: suspects.map((suspect) => {
      const { typeUrl, name, version, nack, since, refusals, clientClass, refusedBy, keptFrom, convicted } = suspect;
      return {
        type: shortType(typeUrl),
        name,
        version,
        error: nack.message,
        since: new Date(since).toISOString(),
        lastRefused: new Date(nack.at).toISOString(),
        refusals,
        // While it isn't known which of several resources is refused, each is suspected.
        culprit: convicted,
        from: culprits(push, suspect),
        served: servedInstead(suspect),
        proxies: clientClass,
        refusedBy: Array.from(refusedBy, ({ nodeId }) => nodeId),
        keptFrom: Array.from(keptFrom, ({ nodeId }) => nodeId),
      };
    }),
    clients: clients.flatMap(({ client: { proxy }, watched }) =>
      watched.flatMap(({ typeUrl, nack }) =>
        nack
          ? [
              {
                proxy: proxy.id,
                type: shortType(typeUrl),
                at: new Date(nack.at).toISOString(),
                code: nack.code,
                // What Envoy says of a secret may hold parts of it that no pattern knows.
                ...(typeUrl === TYPE_URLS.SDS ? {} : { error: nack.message }),
              },
            ]
          : [],
      ),
    ),
  };
}
