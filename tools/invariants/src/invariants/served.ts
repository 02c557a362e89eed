import { answersOf } from '../answers.ts';
import { anyHistory, type History, meshesOf } from '../history.ts';
import { freshContext } from '../mesh.ts';
import { freshLines, type Protocol } from '../wire/client.ts';
import { Served } from '../wire/served.ts';
import { expectSame, invariant } from './invariant.ts';

/** Each proxy is served both ways. */
const PROTOCOLS: readonly Protocol[] = ['sotw', 'delta'];

export const clientsHoldTheSame = invariant(
  'clients of both protocols that apply what they are sent hold what a fresh server would give them',
  200,
  anyHistory,
  (history: History) => {
    const { start, proxies } = history;
    using served = new Served(start);
    const clients = proxies.flatMap((proxy) => PROTOCOLS.map((protocol) => served.connect(proxy, protocol)));
    served.settle();
    for (const [step, mesh] of meshesOf(history).entries()) {
      served.change(mesh);
      const fresh = freshContext(mesh);
      const expected = proxies.map((proxy) => freshLines(answersOf(fresh, proxy)));
      for (const [at, protocol] of PROTOCOLS.entries()) {
        const held = expected.map((lines, index) => clients[index * PROTOCOLS.length + at]?.lines(lines) ?? []);
        expectSame(proxies, held, expected, `${protocol} after step ${step}`);
      }
    }
  },
);
