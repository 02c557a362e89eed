import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildInfo, createMetricRegistry, type Level, type Logging, recordBuild } from '@kedge/observability';
import { commandRunner } from '@kedge/redirection';
import { serviceAccountAccess, type ServiceAddress } from '../kubernetes/api-access.ts';
import { ApiClient } from '../kubernetes/api-client.ts';
import { podApi } from '../kubernetes/pod-api.ts';
import { type Pod } from '../kubernetes/pod.ts';
import { kubeconfigName } from '../plugin/edge.ts';
import { logSocketName } from '../plugin/plugin-log.ts';
import { redirectPod } from '../redirect-pod.ts';
import { findNetworkNamespace } from '../repair/network-namespace.ts';
import { type RepairAction, Repairer } from '../repair/repairer.ts';
import { Binaries } from './binaries.ts';
import { healthEndpoints, metricsEndpoint, serve } from './endpoints.ts';
import { Installer } from './installer.ts';
import { serveLogs } from './log-server.ts';
import { registerMetrics } from './metrics.ts';
import { pluginEntry } from './plugin-entry.ts';
import type { Settings } from './settings.ts';

export interface AgentOptions {
  readonly settings: Settings;
  readonly apiServer: ServiceAddress;
  readonly pluginLogLevel: Level;
  readonly logging: Logging;
}

/** Installs the plugin on this node, keeps it installed and repairs pods, until the signal; then takes it away again. */
export async function runAgent(options: AgentOptions, signal: AbortSignal): Promise<void> {
  const { settings, logging } = options;
  if (settings.ambientEnabled) throw new Error('ambient mode (AMBIENT_ENABLED) is not built yet in this version');
  const log = logging.scope('cni-agent', 'node agent of the CNI plugin');
  const registry = createMetricRegistry();
  registry.addProcessMetrics();
  recordBuild(registry, 'cni', buildInfo);
  const metrics = registerMetrics(registry);

  const pluginLog = logging.scope('cni-plugin', 'what the CNI plugin logs');
  await using _logs = await serveLogs(join(settings.runDir, logSocketName), pluginLog);
  const installer = installerOf(options, metrics, log);
  using _health = await serve(
    settings.readinessPort,
    healthEndpoints(() => installer.isReady),
  );
  using _metrics =
    settings.monitoringPort > 0 ? await serve(settings.monitoringPort, metricsEndpoint(registry)) : undefined;

  const action = repairAction(settings);
  log.info(`pods that started without redirection: ${action === 'none' ? 'not looked for' : action}`);
  const repair = action === 'none' ? undefined : repairerOf(options, action, metrics, log).run(signal);
  await installer.run(signal);
  await repair;
  await installer.cleanUp();
}

type AgentMetrics = ReturnType<typeof registerMetrics>;
type Log = ReturnType<Logging['scope']>;

function installerOf({ settings, apiServer, pluginLogLevel }: AgentOptions, metrics: AgentMetrics, log: Log) {
  const ownsConfig = settings.ownedConfig && settings.chained;
  return new Installer({
    binaries: new Binaries(settings.binSourceDir, settings.binTargetDir),
    kubeconfig: {
      file: join(settings.runDir, kubeconfigName),
      mode: settings.kubeconfigMode,
      serviceAccountDir: settings.serviceAccountDir,
      caFile: settings.caFile,
      skipTlsVerify: settings.skipTlsVerify,
      address: apiServer,
    },
    networkConfig: {
      folder: settings.netDir,
      chained: settings.chained,
      confName: settings.confName,
      ...(ownsConfig && { ownFile: settings.ownedConfigFile || '02-istio-cni.conflist' }),
      mode: settings.confGroupRead ? 0o640 : 0o600,
    },
    entry: pluginEntry(settings, pluginLogLevel),
    watched: [settings.netDir, settings.binTargetDir, settings.serviceAccountDir, settings.runDir],
    metrics,
    log,
  });
}

function repairerOf({ settings, apiServer }: AgentOptions, action: RepairAction, metrics: AgentMetrics, log: Log) {
  const client = new ApiClient(() => serviceAccountAccess(settings.serviceAccountDir, apiServer));
  const pause = (milliseconds: number, until: AbortSignal) =>
    sleep(milliseconds, undefined, { signal: until }).catch(() => undefined);
  const node = settings.repairNodeName && `spec.nodeName=${settings.repairNodeName}`;
  return new Repairer({
    action,
    criteria: {
      sidecarAnnotation: settings.repairSidecarAnnotation,
      initContainerName: settings.repairInitContainerName,
      terminationMessage: settings.repairTerminationMessage,
      exitCode: settings.repairExitCode,
    },
    selection: {
      labelSelector: settings.repairLabelSelectors,
      fieldSelector: [settings.repairFieldSelectors, node].filter((selector) => selector !== '').join(','),
    },
    label: { key: settings.repairLabelKey, value: settings.repairLabelValue },
    pods: podApi(client, pause),
    redirect: (pod, podLog) => redirectRunningPod(pod, settings, podLog),
    metrics,
    log,
  });
}

/** Of several that are asked for, the one that does most. */
function repairAction(settings: Settings): RepairAction | 'none' {
  if (!settings.repairEnabled) return 'none';
  if (settings.repairPods) return 'repair';
  if (settings.repairDeletePods) return 'delete';
  return settings.repairLabelPods ? 'label' : 'none';
}

async function redirectRunningPod(pod: Pod, settings: Settings, log: Log): Promise<void> {
  const { podIP, podIPs = [] } = pod.status ?? {};
  const addresses = podIPs.length > 0 ? podIPs.map(({ ip }) => ip) : podIP ? [podIP] : [];
  const [address] = addresses;
  if (address === undefined) throw new Error('the pod has no address yet');
  const networkNamespace = await findNetworkNamespace(settings.hostProcDir, address);
  await redirectPod(pod, {
    networkNamespace,
    addresses,
    nativeNftables: settings.nativeNftables,
    forceIptablesBinary: settings.forceIptablesBinary,
    run: commandRunner(networkNamespace),
    log,
  });
}
