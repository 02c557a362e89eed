import {
  type Environment,
  environmentSource,
  featuresSource,
  meshConfigSource,
  meshNetworksSource,
  type SecretAccess,
  secretAccessSource,
  SINGLE,
} from '@kedge/config';
import type { SnapshotEdit } from '@kedge/incremental';
import type { EffectiveMeshConfig, Features, MeshNetworks } from '@kedge/model';
import { trustedRootsSource } from './trusted-roots.ts';
import { type Translation, translationsSource } from './translations.ts';
import { registriesSource, type ServiceRegistry } from '@kedge/registry';

/** What every snapshot needs besides objects. */
export interface MeshSettings {
  readonly mesh: EffectiveMeshConfig;
  readonly networks: MeshNetworks;
  readonly features: Features;
  readonly environment: Environment;
  readonly registries: readonly ServiceRegistry[];
  /** Nobody gets secrets without verified identity and a review where this is absent. */
  readonly secretAccess?: SecretAccess;
  readonly translations?: readonly Translation[];
  /** The roots of the mesh's certificate authority as PEM, one a text. */
  readonly trustedRoots?: readonly string[];
}

/** Writes the settings that are given into an edit; the others stay. */
export function setMeshSettings(edit: SnapshotEdit, settings: Partial<MeshSettings>): void {
  const { mesh, networks, features, environment, registries, secretAccess, translations, trustedRoots } = settings;
  if (mesh) edit.set(meshConfigSource, SINGLE, mesh);
  if (networks) edit.set(meshNetworksSource, SINGLE, networks);
  if (features) edit.set(featuresSource, SINGLE, features);
  if (environment) edit.set(environmentSource, SINGLE, environment);
  if (registries) edit.set(registriesSource, SINGLE, registries);
  if (translations) edit.set(translationsSource, SINGLE, translations);
  if (trustedRoots) edit.set(trustedRootsSource, SINGLE, trustedRoots);
  if (secretAccess) edit.set(secretAccessSource, SINGLE, secretAccess);
}
