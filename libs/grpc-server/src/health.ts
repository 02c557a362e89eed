import { GrpcError, Status } from './status.ts';
import type { ServerStream, ServiceMethods } from './service.ts';
import { readFields, writeFields } from './wire.ts';

export const healthServiceName = 'grpc.health.v1.Health';

const servingStatus = { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } as const;
type ServingStatus = keyof typeof servingStatus;

type Watcher = Pick<ServerStream, 'write'>;

/**
 * The health of services, and its gRPC service (`grpc.health.v1.Health`, as the gRPC health checking protocol has it).
 * The empty name is the server as a whole.
 */
export class Health {
  readonly #statuses = new Map<string, ServingStatus>();
  readonly #watchers = new Map<string, Set<Watcher>>();

  /** Sets the health of a service; watchers are told where it changes. */
  set(service: string, status: 'SERVING' | 'NOT_SERVING'): void {
    if (this.#statuses.get(service) === status) return;
    this.#statuses.set(service, status);
    for (const watcher of this.#watchers.get(service) ?? []) watcher.write(response(status));
  }

  /** The methods, to be added to a server under `healthServiceName`. */
  readonly methods: ServiceMethods = {
    Check: {
      kind: 'unary',
      handle: (request) => {
        const service = serviceOf(request);
        const status = this.#statuses.get(service);
        if (status === undefined) throw new GrpcError(Status.NOT_FOUND, `there is no service ${service}`);
        return response(status);
      },
    },
    List: {
      kind: 'unary',
      handle: () =>
        writeFields(
          Array.from(this.#statuses, ([service, status]) => [
            1,
            writeFields([
              [1, service],
              [2, response(status)],
            ]),
          ]),
        ),
    },
    Watch: {
      kind: 'serverStream',
      handle: (request, stream) => {
        const service = serviceOf(request);
        const watchers = this.#watchers.get(service) ?? new Set();
        this.#watchers.set(service, watchers.add(stream));
        stream.signal.addEventListener('abort', () => {
          watchers.delete(stream);
          if (watchers.size === 0) this.#watchers.delete(service);
        });
        stream.draining.addEventListener('abort', () => {
          stream.end({ code: Status.UNAVAILABLE, message: 'the server goes away' });
        });
        stream.write(response(this.#statuses.get(service) ?? 'SERVICE_UNKNOWN'));
      },
    },
  };
}

/** `HealthCheckRequest.service` */
function serviceOf(request: Uint8Array): string {
  return readFields(request).text(1) ?? '';
}

/** A `HealthCheckResponse`. */
function response(status: ServingStatus): Uint8Array {
  return writeFields([[1, servingStatus[status]]]);
}
