import {
  type Config,
  defaultMeshConfig,
  type Diagnostic,
  parseFeatures,
  parseMeshConfig,
  parseMeshNetworks,
  validateConfig,
} from '@kedge/model';
import { checkEnvoyMessage } from '@kedge/networking';
import { type MeshSettings, PushContext, setMeshSettings } from '@kedge/pushcontext';
import { readManifests, setObject } from '@kedge/config';
import { standardTranslations } from '@kedge/gateway-api';
import { standardRegistries } from '@kedge/registry';
import { type NamedProxy, parseProxiesFile } from './proxies-file.ts';

/** A text with the name under which messages speak of it. */
export interface InputFile {
  readonly name: string;
  readonly text: string;
}

/** All that rendering needs: manifests and whom to render for. */
export interface RenderInput {
  readonly manifests: readonly InputFile[];
  readonly meshConfig?: InputFile;
  readonly meshNetworks?: InputFile;
  readonly proxies: InputFile;
}

/** Input that has been read: a snapshot, the proxies, and what was wrong with the input. */
export interface Scenario {
  readonly push: PushContext;
  /** What `push` was made of. */
  readonly settings: MeshSettings;
  readonly objects: readonly Config[];
  readonly proxies: readonly NamedProxy[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The DNS suffix of services where nothing else is said. */
const DOMAIN_SUFFIX = 'cluster.local';

/** Reads input files. Objects with errors, and those that the proxies file calls invalid, have no effect. */
export function readScenario(input: RenderInput): Scenario {
  const proxies = parseProxiesFile(input.proxies.text, input.proxies.name);
  const { features, problems } = parseFeatures(proxies.environment);
  const mesh = input.meshConfig && parseMeshConfig(input.meshConfig.text, input.meshConfig.name);
  const networks = input.meshNetworks && parseMeshNetworks(input.meshNetworks.text, input.meshNetworks.name);
  const manifests = readManifests(input.manifests, {
    validate: (config, where) => validateConfig(config, { where, checkEnvoyMessage }),
    ...(features.revision ? { revision: features.revision } : {}),
  });
  const objects = manifests.objects.filter(({ kind, name }) => !proxies.invalid.has(`${kind}/${name}`));
  const settings: MeshSettings = {
    mesh: mesh?.mesh ?? defaultMeshConfig,
    networks: networks?.networks ?? { networks: {} },
    features,
    environment: { domainSuffix: DOMAIN_SUFFIX, systemNamespace: features.podNamespace },
    registries: standardRegistries(features.clusterId),
    translations: standardTranslations,
    secretAccess: { trustsStatedIdentity: true, allowsUnreviewed: true },
  };
  const push = PushContext.empty().next((edit) => {
    setMeshSettings(edit, settings);
    for (const object of objects) setObject(edit, object, object);
  });
  return {
    push,
    settings,
    objects,
    proxies: proxies.proxies,
    diagnostics: [
      ...proxies.diagnostics,
      ...(mesh?.diagnostics ?? []),
      ...(networks?.diagnostics ?? []),
      ...problems.map(switchProblem),
      ...manifests.diagnostics,
    ],
  };
}

function switchProblem(message: string): Diagnostic {
  return { severity: 'warning', code: 'unreadable-switch', kind: '', namespace: '', name: '', field: 'env', message };
}
