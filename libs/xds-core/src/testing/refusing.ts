import { LastAccepted, type LastAcceptedOptions } from '../refusals/last-accepted.ts';
import type { XdsClient } from './clients.ts';
import { Harness, type TestOptions } from './harness.ts';
import type { TestClient, TestSnapshot } from './mesh.ts';

/** What a client says when it refuses: which resources it was, or not. */
export type ErrorText = (bad: readonly string[]) => string;

export const naming: ErrorText = (bad) =>
  `Error adding/updating cluster(s) ${bad.map((name) => `${name}: is bad`).join(', ')}`;
export const silent: ErrorText = () => 'something is wrong';

/** Takes what is there as Envoy would in its strictest moments: all of an answer or nothing. Returns how many answers. */
export function takeAll(client: XdsClient, isBad: (content: string) => boolean, text: ErrorText): number {
  let taken = 0;
  for (let response = client.take(); response !== undefined; response = client.take()) {
    taken += 1;
    const bad = [...response.resources].filter(([, content]) => isBad(content)).map(([name]) => name);
    if (bad.length > 0) client.nack(response, text(bad));
    else client.ack(response);
  }
  return taken;
}

/** A server that falls back. */
export function refusingHarness(
  mesh: TestSnapshot,
  options: Partial<LastAcceptedOptions<TestClient>> = {},
  serverOptions: TestOptions = {},
) {
  const log: string[] = [];
  const refusals = new LastAccepted<TestClient>({
    classOf: () => 'one',
    mustNotRevert: () => false,
    reconsider: () => harness.server.configUpdate({ edits: [] }),
    observe: (event, { name }) => void log.push(`${event} ${name}`),
    now: () => harness.clock.now(),
    ...options,
  });
  const harness = new Harness(mesh, { refusals, ...serverOptions });
  return { harness, refusals, log };
}
