import { type MeshRead } from '@kedge/config';
import { query } from '@kedge/incremental';
import { type ConfigOf, type Labels, labelsMatch } from '@kedge/model';
import { sameMembers } from './equality.ts';
import { discovered } from './discovered.ts';
import { rootNamespace } from './mesh.ts';
import { compareAge } from './precedence.ts';

/** How a workload takes connections: plain text only, plain text and mutual TLS, or mutual TLS only. */
export type MutualTlsMode = 'DISABLE' | 'PERMISSIVE' | 'STRICT';

type Policy = ConfigOf<'PeerAuthentication'>;
type Mode = NonNullable<Policy['spec']['mtls']>['mode'];

/** Policies of a namespace, the oldest first. */
const policiesOf = query(
  'peerAuthentications',
  (read: MeshRead, namespace: string) => discovered(read, 'PeerAuthentication', namespace).toSorted(compareAge),
  sameMembers,
);

const isSet = (mode: Mode): mode is MutualTlsMode => mode !== undefined && mode !== 'UNSET';

const hasSelector = ({ spec }: Policy): boolean => Object.keys(spec.selector?.matchLabels ?? {}).length > 0;

/** What the oldest policy of a namespace that is for all of its workloads says. */
function statedMode(read: MeshRead, namespace: string): Mode {
  return read(policiesOf, namespace).find((policy) => !hasSelector(policy))?.spec.mtls?.mode;
}

/** What a namespace's policies for all of its workloads say, over the mesh's; PERMISSIVE where nobody says anything. */
export const namespaceMtlsMode = query('namespaceMtlsMode', (read: MeshRead, namespace: string): MutualTlsMode => {
  for (const place of [namespace, rootNamespace(read)]) {
    const mode = statedMode(read, place);
    if (isSet(mode)) return mode;
  }
  return 'PERMISSIVE';
});

/**
 * Whether clients should be ready for mutual TLS with workloads of a namespace, and then go by what holds for each of them.
 * What the mesh forbids may be allowed or demanded by a policy for some of them (docs/decisions/0030-mtls-below-disable.md);
 * what a namespace forbids counts for all.
 */
export const mayTakeMtls = query('mayTakeMtls', (read: MeshRead, namespace: string): boolean => {
  if (read(namespaceMtlsMode, namespace) !== 'DISABLE') return true;
  if (namespace === rootNamespace(read) || isSet(statedMode(read, namespace))) return false;
  return read(selectingPolicies, namespace).some(allowsMtls);
});

function allowsMtls({ spec }: Policy): boolean {
  const modes = [spec.mtls, ...Object.values(spec.portLevelMtls)].map((mtls) => mtls?.mode);
  return modes.some((mode) => isSet(mode) && mode !== 'DISABLE');
}

/** The policies that select workloads of a namespace, the oldest first. */
const selectingPolicies = query(
  'selectingPeerAuthentications',
  (read: MeshRead, namespace: string) => read(policiesOf, namespace).filter(hasSelector),
  sameMembers,
);

/**
 * How a workload with these labels takes connections on a port, or on all ports that no policy names. The oldest policy
 * that selects the workload decides, for its ports first, then for the workload; what it leaves open the namespace decides.
 * https://istio.io/latest/docs/reference/config/security/peer_authentication/
 */
export function workloadMtlsMode(read: MeshRead, namespace: string, labels: Labels, port?: number): MutualTlsMode {
  return modeBySelector(read, namespace, (selector) => labelsMatch(selector, labels), port);
}

export function modeBySelector(
  read: MeshRead,
  namespace: string,
  selects: (selector: Labels) => boolean,
  port?: number,
): MutualTlsMode {
  const policy = selectingPolicy(read, namespace, selects);
  const portMode = port === undefined ? undefined : policy?.spec.portLevelMtls[String(port)]?.mode;
  if (isSet(portMode)) return portMode;
  const mode = policy?.spec.mtls?.mode;
  return isSet(mode) ? mode : read(namespaceMtlsMode, namespace);
}

/** The ports that the policy of a workload names, be it to leave them to what holds for all. */
export function portsOfPolicy(
  read: MeshRead,
  namespace: string,
  selects: (selector: Labels) => boolean,
): readonly number[] {
  return Object.keys(selectingPolicy(read, namespace, selects)?.spec.portLevelMtls ?? {}).map(Number);
}

/** The oldest policy that selects a workload. Policies of the root namespace select none: they are for the whole mesh. */
function selectingPolicy(
  read: MeshRead,
  namespace: string,
  selects: (selector: Labels) => boolean,
): Policy | undefined {
  if (namespace === rootNamespace(read)) return undefined;
  return read(selectingPolicies, namespace).find(({ spec }) => selects(spec.selector?.matchLabels ?? {}));
}
