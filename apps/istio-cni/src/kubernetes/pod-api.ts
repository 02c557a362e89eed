import { type ApiClient, ApiError } from './api-client.ts';
import { asPod, type Pod } from './pod.ts';

export interface PodSelection {
  readonly labelSelector: string;
  readonly fieldSelector: string;
}

export type PodEvent = { readonly kind: 'present'; readonly pod: Pod } | { readonly kind: 'gone'; readonly pod: Pod };

/** What the repair of pods needs of Kubernetes. */
export interface PodApi {
  /**
   * Tells of each pod that there is, and of every change. Goes on, whatever the API server does, until the signal.
   *
   * @param onProblem is told why it begins anew
   */
  watch(
    selection: PodSelection,
    onEvent: (event: PodEvent) => void,
    onProblem: (problem: string) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Deletes the pod unless it has changed since. */
  delete(pod: Pod): Promise<void>;
  label(pod: Pod, key: string, value: string): Promise<void>;
  /** Says something about the pod where `kubectl describe` shows it. */
  report(pod: Pod, reason: string, message: string): Promise<void>;
}

interface PodList {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly items?: readonly unknown[];
}

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly resourceVersion?: string }; readonly message?: string };
}

/** The server ends a watch after this time, and it is taken up again. */
const watchSeconds = 290;
/** Later than that nobody is at the other end any more. */
const overdue = () => AbortSignal.timeout((watchSeconds + 30) * 1000);
const retryMs = { first: 1_000, longest: 30_000 };

/** @param pause ends early, without an error, when the signal comes */
export function podApi(
  client: ApiClient,
  pause: (milliseconds: number, signal: AbortSignal) => Promise<void>,
  now: () => Date = () => new Date(),
): PodApi {
  return {
    watch: async (selection, onEvent, onProblem, signal) => {
      let delay = retryMs.first;
      while (!signal.aborted) {
        try {
          for await (const event of eventsOf(client, selection, signal)) {
            delay = retryMs.first;
            onEvent(event);
          }
        } catch (error) {
          if (signal.aborted) return;
          onProblem((error as Error).message);
          await pause(delay, signal);
          delay = Math.min(delay * 2, retryMs.longest);
        }
      }
    },
    delete: async (pod) => {
      const { uid, resourceVersion } = pod.metadata;
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } };
      await client.json({ method: 'DELETE', path: pathOf(pod), body });
    },
    label: async (pod, key, value) => {
      // The status can be patched with less privileges, and labels with it.
      const path = `${pathOf(pod)}/status`;
      const body = { metadata: { uid: pod.metadata.uid, labels: { [key]: value } } };
      await client.json({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
    },
    report: async (pod, reason, message) => {
      const { namespace, name, uid, resourceVersion } = pod.metadata;
      const timestamp = now()
        .toISOString()
        .replace(/\.\d+Z$/, 'Z');
      const body = {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { generateName: `${name}.`, namespace },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, resourceVersion },
        source: { component: 'cni-repair' },
        type: 'Warning',
        reason,
        message,
        firstTimestamp: timestamp,
        lastTimestamp: timestamp,
        count: 1,
      };
      await client.json({ method: 'POST', path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/events`, body });
    },
  };
}

function pathOf({ metadata: { namespace, name } }: Pod): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
}

/** All pods, then their changes, until the server has forgotten where we are, which is no error. */
async function* eventsOf(client: ApiClient, selection: PodSelection, signal: AbortSignal): AsyncGenerator<PodEvent> {
  const query = Object.fromEntries(Object.entries(selection).filter(([, selector]) => selector !== ''));
  const path = '/api/v1/pods';
  // From the server's cache, which has an index of nodes; what is newer comes with the watch.
  const listQuery = { ...query, resourceVersion: '0' };
  const list = (await client.json({ method: 'GET', path, query: listQuery, signal })) as PodList;
  for (const item of list.items ?? []) yield { kind: 'present', pod: asPod(item) };
  let resourceVersion = list.metadata?.resourceVersion ?? '';
  while (!signal.aborted) {
    const watch = {
      ...query,
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion,
      timeoutSeconds: String(watchSeconds),
    };
    try {
      const lines = client.lines({ method: 'GET', path, query: watch, signal: AbortSignal.any([signal, overdue()]) });
      for await (const line of lines) {
        const { type, object } = line as WatchEvent;
        if (type === 'ERROR') return;
        resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
        if (type === 'ADDED' || type === 'MODIFIED') yield { kind: 'present', pod: asPod(object) };
        if (type === 'DELETED') yield { kind: 'gone', pod: asPod(object) };
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 410) return;
      throw error;
    }
  }
}
