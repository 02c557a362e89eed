import { type ControlPlaneProcess, until } from '@kedge/testbed';

/** A push as `/debug/pushes` tells it; times in milliseconds. */
interface PushRecord {
  readonly push: number;
  readonly triggeredAt: number;
  readonly changes: readonly string[];
  readonly debounceMs: number;
  readonly snapshotMs: number;
  readonly connections: number;
  readonly sent: readonly SentAnswer[];
  readonly skipped: readonly string[];
  readonly unchanged: readonly string[];
}

interface SentAnswer {
  readonly node: string;
  readonly type: string;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
  /** Since the push was triggered. */
  readonly sentAfterMs: number;
  /** From sending to the ACK. */
  readonly ackMs?: number;
  readonly refused?: string;
}

/** Waits until the push of a change is accepted by all whom it concerns, and tells it in a few lines. */
export async function reportPush(
  controlPlane: ControlPlaneProcess,
  { object, changedAt, signal }: { readonly object: string; readonly changedAt: number; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const record = await until(`the push of ${object}`, () => settledPush(controlPlane, object, changedAt), { signal });
  const refused = record.sent.find((answer) => answer.refused !== undefined);
  if (refused) throw new Error(`${nameOf(refused.node)} refuses its ${refused.type}: ${refused.refused}`);
  const accepted = Math.max(...record.sent.map(({ sentAfterMs, ackMs = 0 }) => sentAfterMs + ackMs));
  const total = Math.round(record.triggeredAt + accepted - changedAt);
  return [
    `from the file to the last ACK: ${total} ms, of which ${Math.round(record.debounceMs)} ms waited for further changes`,
    ...record.sent.map(sentLine),
    `skipped, for nothing changes for them: ${skippedNodes(record).join(', ') || 'nobody'}`,
  ];
}

/** Those that got nothing: the push didn't concern them, or what was generated is what they have. */
function skippedNodes({ sent, skipped, unchanged }: PushRecord): readonly string[] {
  const served = new Set(sent.map(({ node }) => node));
  const looked = unchanged.map(nodeOf).filter((node) => !served.has(node));
  return [...new Set([...skipped, ...looked])].map(nameOf).sort();
}

async function settledPush(
  controlPlane: ControlPlaneProcess,
  object: string,
  changedAt: number,
): Promise<PushRecord | undefined> {
  const records = (await controlPlane.debug('pushes')) as readonly PushRecord[];
  const record = records.find(({ changes, triggeredAt }) => changes.includes(object) && triggeredAt >= changedAt);
  if (!record) return undefined;
  const { sent, skipped, unchanged, connections } = record;
  const settled = sent.every(({ ackMs, refused }) => (ackMs ?? refused) !== undefined);
  const reached = new Set([...sent.map(({ node }) => node), ...skipped, ...unchanged.map(nodeOf)]);
  return settled && reached.size >= connections ? record : undefined;
}

function sentLine({ node, type, resources, removed, bytes, sentAfterMs, ackMs = 0 }: SentAnswer): string {
  const what = [count(resources, 'resource'), ...(removed > 0 ? [`${removed} removed`] : []), `${bytes} bytes`];
  return `pushed to ${nameOf(node)}: ${type} (${what.join(', ')}), sent after ${sentAfterMs} ms, accepted after ${Math.round(sentAfterMs + ackMs)} ms`;
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** The node of an entry `NODE TYPE`. */
const nodeOf = (entry: string): string => entry.split(' ')[0] ?? entry;

/** The pod's name in a node id such as `sidecar~127.0.0.2~frontend.demo~demo.svc.cluster.local`. */
const nameOf = (node: string): string => /~([^~.]+)[^~]*~[^~]*$/.exec(node)?.[1] ?? node;
