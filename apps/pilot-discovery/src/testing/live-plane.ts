import { MemorySource } from '@kedge/config';
import type { Config, PushRequest } from '@kedge/model';
import type { MeshSettings } from '@kedge/pushcontext';
import type { XdsEvent } from '@kedge/xds-core';
import { ControlPlane } from '../control-plane.ts';
import type { MeshClient } from '../xds/mesh-client.ts';
import { type MeshGenerators, meshGenerators } from '../xds/mesh-generators.ts';

export type Event = XdsEvent<MeshClient, PushRequest>;

export interface LivePlaneOptions {
  readonly settings: MeshSettings;
  readonly objects: readonly Config[];
  readonly generators?: MeshGenerators;
  /** A free one where absent. */
  readonly port?: number;
}

/** A control plane that serves xDS on loopback, with objects that tests put and delete. */
export class LivePlane implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly source: MemorySource;
  readonly port: number;
  /** All that happened so far. */
  readonly events: readonly Event[];

  private constructor(plane: ControlPlane, source: MemorySource, port: number, events: readonly Event[]) {
    this.plane = plane;
    this.source = source;
    this.port = port;
    this.events = events;
  }

  static async start({
    settings,
    objects,
    generators = meshGenerators(),
    port = 0,
  }: LivePlaneOptions): Promise<LivePlane> {
    const source = new MemorySource(objects);
    const events: Event[] = [];
    const plane = new ControlPlane({ settings, source, generators, observers: [(event) => void events.push(event)] });
    const listener = await plane.grpc.listen({ host: '127.0.0.1', port });
    return new LivePlane(plane, source, listener.port, events);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.plane[Symbol.asyncDispose]();
    this.source[Symbol.dispose]();
  }
}
