import { inputsOfResource, isTypeUrl, type Origin, originsOf } from '@kedge/networking';
import type { PushContext } from '@kedge/pushcontext';
import { LastAccepted, type Suspect, type SuspectEvent } from '@kedge/xds-core';
import type { MeshClient } from './mesh-client.ts';
import type { PolicyChanges } from './policy-changes.ts';

export type MeshSuspect = Suspect<MeshClient>;
export type MeshRefusals = LastAccepted<MeshClient>;

/** What happens to suspects. */
export interface RefusalEvent {
  readonly kind: SuspectEvent;
  readonly suspect: MeshSuspect;
}

interface RefusalsHost {
  readonly policyChanges: PolicyChanges;
  snapshot(): PushContext;
  /** Pushes to clients that have something to reconsider. */
  push(): void;
  observe(event: RefusalEvent): void;
}

/** The fallback for what proxies of the mesh refuse. */
export function meshRefusals(host: RefusalsHost): MeshRefusals {
  return new LastAccepted<MeshClient>({
    classOf: ({ envoyClass }) => envoyClass,
    mustNotRevert: ({ proxy }, type, name, since) =>
      isTypeUrl(type) && host.policyChanges.concern(inputsOfResource(host.snapshot(), proxy, { type, name }), since),
    reconsider: (clients, typeUrl) => {
      for (const client of clients) client.reconsider(typeUrl);
      host.push();
    },
    observe: (kind, suspect) => host.observe({ kind, suspect }),
    now: () => Date.now(),
  });
}

/** The objects and fields that a suspect is made from, as one of those see it that refused it. */
export function culprits(
  push: PushContext,
  { typeUrl: type, name, refusedBy, keptFrom }: MeshSuspect,
): readonly Origin[] {
  const [connection] = [...refusedBy, ...keptFrom];
  return connection && isTypeUrl(type) ? originsOf(push, connection.client.proxy, { type, name }) : [];
}

/** What clients are served that are not served the suspect. */
export function servedInstead({ fallback, withheld }: MeshSuspect): string {
  if (!fallback) return 'nothing';
  return withheld ? 'the former version where it is held, otherwise nothing' : 'the former version';
}

/** `VirtualService shop/web spec.http[0]`. */
export function originText({ kind, namespace, name, field }: Origin): string {
  return [kind, namespace ? `${namespace}/${name}` : name, field].filter(Boolean).join(' ');
}
