import type { Listener, ServiceMethods, TlsOptions } from '@kedge/grpc-server';
import { DisposableStore } from '@kedge/incremental';
import type { Logger, MetricRegistry } from '@kedge/observability';
import {
  type CertificateAuthority,
  type CertificateEvent,
  certificateMetrics,
  type CaStore,
  certificateService,
  type ClusterSecurity,
  FolderCaStore,
  MemoryCaStore,
  NodeAuthorizer,
  type NodeAuthorizerOptions,
  openAuthority,
  type OpenedAuthority,
  type SecuritySettings,
  ServingCertificate,
  ServingFiles,
  type ServingPaths,
  standardAuthenticators,
  type TrustDomains,
} from '@kedge/security';
import { clientIdentity, type Identify } from './client-identity.ts';

export interface MeshAuthorityOptions {
  readonly settings: SecuritySettings;
  readonly trustDomains: () => TrustDomains;
  /** Names that the server is called by. */
  readonly names: readonly string[];
  /** The server's certificate, where others issued it. */
  readonly servingPaths?: ServingPaths | undefined;
  /** Where a self-signed authority is kept; it ends with the process where this is absent. */
  readonly storageFolder?: string;
  /** The cluster that keeps the authority and knows tokens; absent where there is none. */
  readonly cluster?: ClusterSecurity | undefined;
  /** The pods where there is no cluster, on which it depends for whom a node's proxy may ask for certificates. */
  readonly podsOf: NodeAuthorizerOptions['podsOf'];
  readonly registry: MetricRegistry;
  readonly log: Logger;
}

/** How long the server's own certificate lives. */
const SERVING_TTL = 24 * 3_600_000;

/** The mesh's certificate authority within the control plane: its service, the server's own certificate, and who clients are. */
export class MeshAuthority implements Disposable {
  /** Methods of the certificate service; absent where certificates come from elsewhere. */
  readonly service: ServiceMethods | undefined;
  readonly identify: Identify | undefined;
  readonly #serving: ServingCertificate | ServingFiles;
  readonly #authority: CertificateAuthority;
  readonly #owned: DisposableStore;

  private constructor(
    { authority }: OpenedAuthority,
    serving: ServingCertificate | ServingFiles,
    owned: DisposableStore,
    { settings, trustDomains, cluster, registry, log, ...options }: MeshAuthorityOptions,
  ) {
    this.#serving = serving;
    this.#authority = authority;
    this.#owned = owned;
    const metrics = owned.add(certificateMetrics(registry, authority));
    const authenticators = standardAuthenticators({
      settings,
      trustDomains,
      revocations: () => authority.material.revocations,
      ...(cluster ? { reviewerOf: cluster.reviewerOf } : {}),
    });
    this.identify = settings.authenticateXds
      ? clientIdentity({
          authenticators,
          mustMatch: settings.checkXdsIdentity,
          inPlainText: settings.authenticatePlainText,
        })
      : undefined;
    const observe = (event: CertificateEvent): void => {
      metrics.observe(event);
      logRefusal(event, log);
    };
    if (cluster && settings.enableCa) owned.add(cluster.publish(authority, (problem) => log.warn(problem)));
    const { trustedNodeAccounts: trustedAccounts } = settings;
    const { podsOf } =
      cluster && trustedAccounts.length > 0 ? owned.add(cluster.followPods((problem) => log.warn(problem))) : options;
    const nodes = new NodeAuthorizer({ trustedAccounts, podsOf });
    this.service = settings.enableCa
      ? certificateService({ authority, authenticators, trustDomains, nodes, requireTls: true, observe })
      : undefined;
  }

  /** Rejects where an authority is there that can't be used. */
  static async open(options: MeshAuthorityOptions): Promise<MeshAuthority> {
    const { settings, log, names, servingPaths: paths, trustDomains, storageFolder, cluster } = options;
    const isKept = cluster !== undefined || storageFolder !== undefined;
    const owned = new DisposableStore();
    try {
      const opened = owned.add(
        await openAuthority({
          pluggedInFolder: settings.pluggedInFolder,
          mayBeGenerated: settings.selfSignedInCacerts,
          revocations: settings.revocations,
          ...cluster?.pluggedIn,
          selfSigned: {
            store: storeOf(options),
            organization: trustDomains().own,
            ttl: settings.selfSignedTtl,
            // What nobody else ever reads needs no key that everybody can read.
            key: { algorithm: isKept ? 'RSA' : 'P-256', rsaBits: settings.selfSignedRsaBits },
          },
          rotation: {
            checkInterval: settings.rootCheckInterval,
            grace: settings.rootGrace,
            jitter: settings.rootJitter,
          },
          lifetimes: settings,
          report: ({ severity, message }) => log[severity](message),
        }),
      );
      const report = (problem: string): void => log.error(`the server's certificate is not renewed: ${problem}`);
      const { authority } = opened;
      const serving = owned.add(
        paths
          ? await ServingFiles.open({ paths, authority, report })
          : await ServingCertificate.issue({ authority, names, ttl: SERVING_TTL, report }),
      );
      return new MeshAuthority(opened, serving, owned, options);
    } catch (error) {
      owned[Symbol.dispose]();
      throw error;
    }
  }

  /** The roots as PEM, one a text. */
  get roots(): readonly string[] {
    return this.#authority.material.roots.map(({ pem }) => pem);
  }

  /** Tells of roots that are others than before, maybe. */
  onRoots(listener: (roots: readonly string[]) => void): void {
    this.#owned.add(this.#authority.subscribe(() => listener(this.roots)));
  }

  /** How to listen for clients of the mesh. */
  get tls(): TlsOptions {
    return { credentials: this.#serving.credentials, clientCertificate: 'optional' };
  }

  /** Has a listener use each new certificate of the server; its connections stay. */
  keepFresh(listener: Listener): void {
    this.#owned.add(this.#serving.subscribe((credentials) => listener.setCredentials(credentials)));
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }
}

/** A folder that is named wins over the cluster. */
function storeOf({ storageFolder, cluster }: MeshAuthorityOptions): CaStore {
  return storageFolder === undefined ? (cluster?.store ?? new MemoryCaStore()) : new FolderCaStore(storageFolder);
}

/** The names of the control plane in its namespace, as proxies are told to call it. */
export function serverNames(namespace: string, revision: string, further: readonly string[]): readonly string[] {
  const services = ['istiod', 'istiod-remote', 'istio-pilot'];
  if (revision && revision !== 'default') services.push(`istiod-${revision}`);
  return [...new Set([...services.map((service) => `${service}.${namespace}.svc`), ...further])];
}

function logRefusal(event: CertificateEvent, log: Logger): void {
  if (event.kind === 'unauthenticated' || event.kind === 'refused') log.warn(event.problem, { client: event.address });
}
