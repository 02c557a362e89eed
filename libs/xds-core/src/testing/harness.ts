import { DiscoveryServer } from '../discovery-server.ts';
import type { Protocol, XdsEvent } from '../events.ts';
import type { DiscoveryServerOptions } from '../options.ts';
import { DeltaClient, SotwClient, type XdsClient } from './clients.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeStream } from './fake-stream.ts';
import { edited, type TestClient, testGenerators, type TestRequest, type TestSnapshot } from './mesh.ts';

export type TestEvent = XdsEvent<TestClient, TestRequest>;
export type TestOptions = Partial<DiscoveryServerOptions<TestSnapshot, TestClient, TestRequest>>;

/** A server in the process, with time that stands still. */
export class Harness {
  readonly clock = new FakeClock();
  readonly events: TestEvent[] = [];
  readonly server: DiscoveryServer<TestSnapshot, TestClient, TestRequest>;

  constructor(initialSnapshot: TestSnapshot = {}, options: TestOptions = {}) {
    this.server = new DiscoveryServer<TestSnapshot, TestClient, TestRequest>({
      initialSnapshot,
      nextSnapshot: edited,
      mergeRequests: (earlier, later) => ({ edits: [...earlier.edits, ...later.edits] }),
      connect: ({ id = '' }) => ({ kind: 'accepted', client: { node: id }, nodeType: 'sidecar' }),
      needsPush: () => 'all',
      generators: testGenerators(),
      clock: this.clock,
      observe: (event) => void this.events.push(event),
      ...options,
    });
  }

  open(protocol: 'delta'): DeltaClient;
  open(protocol: 'sotw'): SotwClient;
  open(protocol: Protocol): XdsClient;
  open(protocol: Protocol): XdsClient {
    const stream = this.stream(protocol);
    return protocol === 'delta' ? new DeltaClient(stream) : new SotwClient(stream);
  }

  stream(protocol: Protocol): FakeStream {
    const stream = new FakeStream();
    if (protocol === 'delta') this.server.deltaAggregatedResources(stream);
    else this.server.streamAggregatedResources(stream);
    this.clock.settle();
    return stream;
  }

  /** Changes contents, and waits until they are pushed. */
  edit(...edits: TestRequest['edits']): void {
    this.server.configUpdate({ edits });
    this.clock.advance(100);
  }

  of<Kind extends TestEvent['kind']>(kind: Kind): readonly Extract<TestEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<TestEvent, { kind: Kind }> => event.kind === kind);
  }
}
