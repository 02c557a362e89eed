import type { MemoOptions } from '@kedge/incremental';
import type { PushContext } from '@kedge/pushcontext';
import { linesOf } from './answers.ts';
import { Connection } from './connection.ts';
import { type History, meshesOf } from './history.ts';
import { advanced, freshContext } from './mesh.ts';

/**
 * What each connected proxy holds, after each step: a server that lives through the history.
 * @param pushed is told of each step when all proxies are up to date, and of the start
 */
export function* liveStates(
  history: History,
  options?: MemoOptions,
  pushed: (push: PushContext) => void = () => {},
): Generator<readonly (readonly string[])[], void, undefined> {
  const { start, steps, proxies } = history;
  let push = freshContext(start, options);
  const connections = proxies.slice(0, -1).map((proxy) => new Connection(proxy, push));
  pushed(push);
  let mesh = start;
  for (const [at, next] of meshesOf(history).entries()) {
    push = advanced(push, mesh, next);
    mesh = next;
    const late = proxies[connections.length];
    if (late) connections.push(new Connection(late, push));
    for (const connection of connections) connection.update(push);
    pushed(push);
    if (steps[at]?.sweep) push.memo.sweep();
    yield connections.map(({ answers }) => linesOf(answers));
  }
}

/** What a fresh server would give each proxy, after each step. No two proxies share anything. */
export function* freshStates(history: History): Generator<readonly (readonly string[])[], void, undefined> {
  for (const mesh of meshesOf(history)) {
    yield history.proxies.map((proxy) => linesOf(new Connection(proxy, freshContext(mesh)).answers));
  }
}
