import type { ShortType } from '../mesh/changes.ts';
import type { Held } from './held.ts';
import type { Mode, Range } from './resources.ts';
import { Fields, MessageWriter } from './wire.ts';

/** What a proxy holds and wants of a type. */
export interface TypeState {
  held: Held;
  /** The names it asks for; empty where it asks for everything. */
  wanted: ReadonlySet<string>;
  requested: boolean;
  nonce: string;
  version: string;
}

export interface Response {
  readonly type: ShortType;
  readonly nonce: string;
  readonly version: string;
  readonly runs: readonly Range[];
  readonly removed: readonly string[];
}

interface NewNames {
  readonly node: Buffer | undefined;
  readonly added: readonly string[];
  readonly taken: readonly string[];
}

/** Where the two protocols differ for a client. */
export interface Dialect {
  readonly path: string;
  /** Whether a changed cluster has all assignments asked for again, as Envoy does. */
  readonly repeatsSubscriptions: boolean;
  /** Whether what a response doesn't hold is gone. */
  isComplete(type: ShortType): boolean;
  request(type: ShortType, state: TypeState, names: NewNames): Buffer;
  acknowledge(type: ShortType, state: TypeState): Buffer;
  /** The first request for a type on a further stream. */
  resume(type: ShortType, state: TypeState, node: Buffer | undefined): Buffer;
  response(bytes: Buffer): Response;
}

const typeUrls: Readonly<Record<ShortType, string>> = {
  CDS: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  EDS: 'type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment',
  LDS: 'type.googleapis.com/envoy.config.listener.v3.Listener',
  RDS: 'type.googleapis.com/envoy.config.route.v3.RouteConfiguration',
};
const shortTypes = new Map(Object.entries(typeUrls).map(([type, url]) => [url, type as ShortType]));
const service = '/envoy.service.discovery.v3.AggregatedDiscoveryService';

const RESPONSE = { version: 1, resources: 2, typeUrl: 4, nonce: 5, removed: 6 };
const DELTA_REQUEST = { node: 1, typeUrl: 2, added: 3, taken: 4, versions: 5, nonce: 6 };
const SOTW_REQUEST = { version: 1, node: 2, names: 3, typeUrl: 4, nonce: 5 };
const ENTRY = { key: 1, value: 2 };

const writer = new MessageWriter();
const entryWriter = new MessageWriter();

const delta: Dialect = {
  path: `${service}/DeltaAggregatedResources`,
  repeatsSubscriptions: false,
  isComplete: () => false,
  request: (type, _state, { node, added, taken }) => {
    start(DELTA_REQUEST, type, node);
    writer.raw(encodedNames(DELTA_REQUEST.added, added));
    for (const name of taken) writer.text(DELTA_REQUEST.taken, name);
    return writer.take();
  },
  acknowledge: (type, { nonce }) => {
    start(DELTA_REQUEST, type);
    return writer.text(DELTA_REQUEST.nonce, nonce).take();
  },
  resume: (type, { held, wanted }, node) => {
    start(DELTA_REQUEST, type, node);
    writer.raw(encodedNames(DELTA_REQUEST.added, wanted));
    for (const { name, content } of held.resources.values()) {
      const entry = entryWriter.text(ENTRY.key, name).text(ENTRY.value, content).take();
      writer.message(DELTA_REQUEST.versions, entry);
    }
    return writer.take();
  },
  response: (bytes) => readResponse(bytes),
};

const sotw: Dialect = {
  path: `${service}/StreamAggregatedResources`,
  repeatsSubscriptions: true,
  isComplete: (type) => type === 'CDS' || type === 'LDS',
  request: (type, state, { node }) => wholeRequest(type, state, node),
  acknowledge: (type, state) => wholeRequest(type, state),
  resume: (type, state, node) => wholeRequest(type, state, node),
  response: (bytes) => readResponse(bytes),
};

export const dialects: Readonly<Record<Mode, Dialect>> = { delta, sotw };

/** Every request of this protocol repeats all names. */
function wholeRequest(type: ShortType, { wanted, version, nonce }: TypeState, node?: Buffer): Buffer {
  start(SOTW_REQUEST, type, node);
  if (version !== '') writer.text(SOTW_REQUEST.version, version);
  writer.raw(encodedNames(SOTW_REQUEST.names, wanted));
  if (nonce !== '') writer.text(SOTW_REQUEST.nonce, nonce);
  return writer.take();
}

const namesWriter = new MessageWriter();
const encoded = new WeakMap<Iterable<string>, Buffer>();

/** Many proxies have the same names, which are encoded once: with a mode each list stands in one field only. */
function encodedNames(field: number, names: Iterable<string>): Buffer {
  let bytes = encoded.get(names);
  if (!bytes) {
    for (const name of [...names].sort()) namesWriter.text(field, name);
    encoded.set(names, (bytes = namesWriter.take()));
  }
  return bytes;
}

function start(fields: { readonly node: number; readonly typeUrl: number }, type: ShortType, node?: Buffer): void {
  if (node) writer.message(fields.node, node);
  writer.text(fields.typeUrl, typeUrls[type]);
}

function readResponse(bytes: Buffer): Response {
  let type: ShortType | undefined;
  let nonce = '';
  let version = '';
  const runs: { from: number; to: number }[] = [];
  const removed: string[] = [];
  for (const fields = new Fields(bytes); fields.step();) {
    switch (fields.field) {
      case RESPONSE.version:
        version = fields.text();
        break;
      case RESPONSE.resources: {
        const last = runs.at(-1);
        if (last?.to === fields.start) last.to = fields.next;
        else runs.push({ from: fields.start, to: fields.next });
        break;
      }
      case RESPONSE.typeUrl:
        type = shortTypes.get(fields.text());
        break;
      case RESPONSE.nonce:
        nonce = fields.text();
        break;
      case RESPONSE.removed:
        removed.push(fields.text());
        break;
      default:
        break;
    }
  }
  if (!type) throw new Error('a response of a type that was not asked for');
  return { type, nonce, version, runs, removed };
}
