import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  authorizationPolicy,
  destinationRule,
  meshConfig,
  peerAuthentication,
  serviceEntry,
  sidecar,
  telemetry,
  virtualService,
} from './manifests.ts';
import { hasDestinationRule, hasVirtualService, type MeshShape } from './shape.ts';

/** A manifest: its path in the watched folder, and its text. */
export type MeshFile = readonly [path: string, text: string];

const AUTHORIZATION_POLICIES = 10;
/** Every fifth namespace accepts plain text too. */
const PERMISSIVE_EVERY = 5;

/** The manifests of a mesh. */
export function* meshFiles(shape: MeshShape): Generator<MeshFile> {
  for (let service = 0; service < shape.services; service += 1) {
    yield [`se/svc-${service}.yaml`, serviceEntry(service, shape)];
    if (hasVirtualService(service, shape)) yield [`vs/svc-${service}.yaml`, virtualService(service, shape)];
    if (hasDestinationRule(service, shape)) yield [`dr/svc-${service}.yaml`, destinationRule(service, shape)];
  }
  const namespaces = Array.from({ length: shape.namespaces }, (_, index) => `ns-${index}`);
  const permissive = namespaces.filter((_, index) => index % PERMISSIVE_EVERY === 0);
  const authentications = [
    peerAuthentication('istio-system', 'STRICT'),
    ...permissive.map((namespace) => peerAuthentication(namespace, 'PERMISSIVE')),
  ];
  yield ['pa.yaml', authentications.join('---\n')];
  for (const namespace of namespaces.slice(0, AUTHORIZATION_POLICIES)) {
    yield [`authz/${namespace}.yaml`, authorizationPolicy(namespace)];
  }
  yield ['telemetry.yaml', telemetry];
  if (shape.sidecar) for (const namespace of namespaces) yield [`sidecar/${namespace}.yaml`, sidecar(namespace)];
}

/** A folder that a control plane watches, beside the file of its mesh configuration. */
export class MeshFolder {
  readonly config: string;
  readonly meshConfig: string;
  readonly #temporary: string;

  constructor(folder: string) {
    this.config = join(folder, 'config');
    this.meshConfig = join(folder, 'mesh.yaml');
    this.#temporary = join(folder, 'tmp');
  }

  create(shape: MeshShape): void {
    mkdirSync(this.config, { recursive: true });
    writeFileSync(this.meshConfig, meshConfig);
    for (const file of meshFiles(shape)) this.put(file);
  }

  /** Puts a file in its place at once, so that nobody reads half of it. */
  put([path, text]: MeshFile): void {
    const target = join(this.config, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(this.#temporary, text);
    renameSync(this.#temporary, target);
  }
}
