import { type KubeObject, type ObjectPlace, pathOf, type ResourceType } from './resource-type.ts';
import { KubeError } from './kube-error.ts';
import type { Method, Send } from './send.ts';

/** Reads and writes objects of a cluster. What the API server refuses rejects with a {@link KubeError}. */
export class KubeClient {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** @returns undefined where there is no such object. */
  async get<T extends KubeObject>(type: ResourceType<T>, place: Required<ObjectPlace>): Promise<T | undefined> {
    const { status, body } = await this.#send({ method: 'GET', path: pathOf(type, place) });
    return status === 404 ? undefined : answerOf<T>(status, body);
  }

  create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    const { namespace } = object.metadata ?? {};
    return this.#write('POST', pathOf(type, { namespace }), type, object);
  }

  /** Replaces an object. Rejects with code 409 where it has changed since its `resourceVersion`. */
  update<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<T> {
    const { name, namespace } = object.metadata ?? {};
    return this.#write('PUT', pathOf(type, { name, namespace }), type, object);
  }

  async #write<T extends KubeObject>(
    method: Method,
    path: string,
    { apiVersion, kind }: ResourceType<T>,
    object: T,
  ): Promise<T> {
    const answer = await this.#send({ method, path, body: JSON.stringify({ apiVersion, kind, ...object }) });
    return answerOf<T>(answer.status, answer.body);
  }
}

function answerOf<T>(status: number, body: string): T {
  if (status >= 200 && status < 300) return JSON.parse(body) as T;
  throw new KubeError(status, body);
}
