import { join } from 'node:path';
import { type Any, type MessageName, type Messages, typeUrl, unpackAny } from '@kedge/envoy-api';
import type { MetricRegistry } from '@kedge/observability';
import type { DnsServer } from './dns/dns-server.ts';
import { servesDns } from './dns/serves-dns.ts';
import { fileSocketPath, ownSocketPath } from './identity/foreign-sockets.ts';
import {
  controlPlaneTarget,
  type MeshAccessOptions,
  workloadIdentity,
  xdsCredentials,
} from './identity/mesh-access.ts';
import type { WorkloadIdentity } from './identity/workload-identity.ts';
import type { AgentMetrics } from './metrics.ts';
import { SdsServer } from './sds/sds-server.ts';
import { rootSecret, workloadSecret } from './sds/secret-name.ts';
import type { HealthSource } from './xds-proxy/agent-requests.ts';
import type { Watch } from './xds-proxy/watch.ts';
import type { WasmExtensions } from './wasm/wasm-extensions.ts';
import { XdsProxy } from './xds-proxy/xds-proxy.ts';

export interface LocalServicesOptions extends MeshAccessOptions {
  readonly registry: MetricRegistry;
  readonly isSidecar: boolean;
  /** The DNS domain of the proxy. */
  readonly domain: string;
  /** What the control plane is told of the workload. */
  readonly health?: HealthSource;
}

/** What runs in the agent beside Envoy. */
export interface LocalServices extends AsyncDisposable {
  readonly dns?: DnsServer;
}

/** Where the lists of the certificates that the mesh's authority has revoked are mounted. */
const revocationsFile = './var/run/secrets/istio/crl/ca-crl.pem';

/** Where Envoy finds the control plane. */
export const xdsSocket = ({ config }: Pick<MeshAccessOptions, 'config'>): string => join(config.configPath, 'XDS');

/** Starts the secrets, the way to the control plane, and the names. */
export async function startLocalServices(options: LocalServicesOptions): Promise<LocalServices> {
  const { environment, source, metrics, registry, logging, health } = options;
  await using starting = new AsyncDisposableStack();
  const identity = source.kind === 'authority' ? starting.use(workloadIdentity(source.address, options)) : undefined;
  if (identity) starting.use(registry.onScrape(() => tellExpiry(identity, metrics)));
  const dns = servesDns(environment, options.isSidecar) ? starting.use(await names(options)) : undefined;
  const watches: Watch[] = [];
  if (dns) watches.push(watchNames(dns));
  if (source.kind !== 'none') {
    const secrets = starting.use(await startSecrets(options, identity));
    if (environment.proxyConfigXds) watches.push(watchTrustAnchors(secrets));
  }
  const proxy = new XdsProxy({
    target: controlPlaneTarget(options),
    credentials: () => xdsCredentials(options, identity),
    watches,
    ...(health && { health }),
    ...(environment.convertWasm && {
      convertExtension: extensionsOnDemand(options, starting.use(new DisposableStack())),
    }),
    metrics,
    log: logging.scope('xdsproxy'),
  });
  starting.use(proxy);
  await proxy.listen(xdsSocket(options));
  const owned = starting.move();
  return { ...(dns && { dns }), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

// What few proxies use is loaded where it is used: an idle agent is one a pod.

async function names(options: LocalServicesOptions): Promise<DnsServer> {
  const { startDns } = await import('./dns/start-dns.ts');
  return startDns({ ...options, isRoot: process.getuid?.() === 0 }, options);
}

/** @param owner disposes of what the first extension has made. */
function extensionsOnDemand(options: LocalServicesOptions, owner: DisposableStack): WasmExtensions['convert'] {
  let loading: Promise<WasmExtensions> | undefined;
  const load = async (): Promise<WasmExtensions> => {
    const { wasmExtensions } = await import('./wasm/wasm-extensions.ts');
    return owner.use(wasmExtensions(options));
  };
  return async (resource) => {
    loading ??= load();
    return (await loading).convert(resource);
  };
}

async function startSecrets(
  { source, environment, metrics, logging }: LocalServicesOptions,
  identity: WorkloadIdentity | undefined,
): Promise<SdsServer> {
  const secrets = new SdsServer(logging.scope('sds'), () =>
    metrics.istio_agent_num_file_secret_failures_total.increment(),
  );
  // Beside another program, what is left for the agent is secrets in files.
  await secrets.listen(source.kind === 'socket' ? fileSocketPath : ownSocketPath);
  if (source.kind === 'files') {
    const { chain, key, roots } = source.files;
    secrets.follow(workloadSecret, { kind: 'certificate', chain, key });
    secrets.follow(rootSecret, { kind: 'roots', path: roots });
  }
  if (environment.caRevocations) secrets.followRevocations(revocationsFile);
  identity?.subscribe(({ chain, key, roots }) => {
    secrets.set({ [workloadSecret]: { chain, key }, [rootSecret]: { roots } });
  });
  return secrets;
}

/** A resource of this type, which has to be one. */
function unpacked<N extends MessageName>(name: N, resource: Any): Messages[N] {
  const message = unpackAny(name, resource);
  if (message === undefined) throw new Error(`a ${name} was expected, not a ${resource['@type']}`);
  return message;
}

function watchNames(dns: DnsServer): Watch {
  const name = 'istio.networking.nds.v1.NameTable';
  return { typeUrl: typeUrl(name), accept: (resource) => dns.update(unpacked(name, resource)) };
}

/** The control plane may tell of further roots in the ProxyConfig that it sends. */
function watchTrustAnchors(secrets: SdsServer): Watch {
  const name = 'istio.mesh.v1alpha1.ProxyConfig';
  return {
    typeUrl: typeUrl(name),
    accept: (resource) => {
      const { caCertificatesPem = [] } = unpacked(name, resource);
      secrets.setFurtherRoots(caCertificatesPem.map((pem) => `${pem.trimEnd()}\n`).join(''));
    },
  };
}

function tellExpiry({ current }: WorkloadIdentity, metrics: AgentMetrics): void {
  const gauge = metrics.istio_agent_cert_expiry_seconds;
  if (current) gauge.set((current.expiresAt - Date.now()) / 1000, { resource_name: workloadSecret });
  else gauge.remove({ resource_name: workloadSecret });
}
