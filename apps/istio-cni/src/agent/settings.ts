import { asList } from '@kedge/cni';
import { type Command, Option } from 'commander';

/** A setting of Istio's `install-cni`: a flag, or the environment variable of the same name in capitals. */
interface Setting<T> {
  readonly name: string;
  readonly fallback: T;
  readonly description: string;
  /** The value of a text; undefined if it has none. */
  readonly read: (text: string) => T | undefined;
  readonly expects: string;
  /** Further variables. */
  readonly also: readonly string[];
}

const text = (name: string, fallback: string, description: string, ...also: readonly string[]): Setting<string> => {
  return { name, fallback, description, also, expects: 'a text', read: (value) => value };
};

const matching = (name: string, fallback: string, pattern: RegExp, expects: string, description: string) => ({
  ...text(name, fallback, description),
  expects,
  read: (value: string) => (pattern.test(value) ? value : undefined),
});

const flag = (name: string, fallback: boolean, description: string): Setting<boolean> => {
  // An empty variable is one that says no, as in Istio.
  const read = (value: string) =>
    /^(1|t|true)$/i.test(value) ? true : /^(0|f|false)?$/i.test(value) ? false : undefined;
  return { name, fallback, description, read, also: [], expects: 'true or false' };
};

const whole = (name: string, fallback: number, limit: number, description: string): Setting<number> => {
  const read = (value: string) => (/^\d+$/.test(value) && Number(value) <= limit ? Number(value) : undefined);
  return { name, fallback, description, read, also: [], expects: `a whole number up to ${limit}` };
};

/** A file that runtimes read, in their folder. */
const configFile = (name: string, description: string) =>
  matching(
    name,
    '',
    /^$|^(?!\.)[\w.-]+\.conf(list)?$/,
    'the name of a file with the ending .conf or .conflist',
    description,
  );
const ownFile = configFile('istio-owned-cni-config-filename', 'file of the configuration of our own');
const labelName = /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^$|^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;

const settings = {
  netDir: text('mounted-cni-net-dir', '/host/etc/cni/net.d', 'folder of the CNI network configurations'),
  confName: configFile('cni-conf-name', 'file of the primary CNI configuration; the first valid one if not given'),
  chained: flag('chained-cni-plugin', true, 'run after the plugins of another configuration'),
  ownedConfig: flag('istio-owned-cni-config', false, 'leave the primary configuration alone and write one of our own'),
  ownedConfigFile: {
    ...ownFile,
    also: ['ISTIO_OWNED_CNI_CONF_FILENAME'],
    // What is written there is a list.
    read: (value: string) => ownFile.read(value) && asList(value),
  },
  runDir: text('cni-agent-run-dir', '/var/run/istio-cni', 'folder on the node for sockets and the kubeconfig'),
  kubeconfigMode: whole('kubeconfig-mode', 0o600, 0o777, 'permissions of the kubeconfig, as a decimal number'),
  confGroupRead: flag('cni-conf-group-read', false, 'let the group read CNI configurations that we make'),
  caFile: text('kube-ca-file', '', "authority of the API server; that of the agent's pod if not given"),
  skipTlsVerify: flag('skip-tls-verify', false, 'let the plugin trust any API server'),
  monitoringPort: whole('monitoring-port', 15014, 65535, 'port of metrics; none if 0'),
  excludeNamespaces: text('exclude-namespaces', '', 'namespaces whose pods are left alone, separated by commas'),
  podNamespace: text('pod-namespace', '', "namespace of the agent's pods"),
  nativeNftables: flag('native-nftables', false, 'rules of nft rather than iptables'),
  forceIptablesBinary: matching(
    'force-iptables-binary',
    '',
    /^$|^legacy$|^nft$/,
    'legacy or nft',
    'variant of iptables for repairs',
  ),
  ambientEnabled: flag('ambient-enabled', false, 'ambient mode (not built yet)'),
  repairEnabled: flag('repair-enabled', true, 'look for pods that started without redirection'),
  repairPods: flag('repair-repair-pods', false, 'redirect the traffic of such a pod'),
  repairDeletePods: flag('repair-delete-pods', false, 'delete such a pod'),
  repairLabelPods: flag('repair-label-pods', false, 'label such a pod'),
  repairLabelKey: matching(
    'repair-broken-pod-label-key',
    'cni.istio.io/uninitialized',
    labelName,
    'the name of a label',
    'the label',
  ),
  repairLabelValue: matching(
    'repair-broken-pod-label-value',
    'true',
    labelValue,
    'the value of a label',
    "the label's value",
  ),
  repairNodeName: text('repair-node-name', '', 'node whose pods to look at; all if not given'),
  repairSidecarAnnotation: text(
    'repair-sidecar-annotation',
    'sidecar.istio.io/status',
    'annotation of pods that have a sidecar',
  ),
  repairInitContainerName: text(
    'repair-init-container-name',
    'istio-validation',
    'init container that fails without redirection',
  ),
  repairTerminationMessage: text(
    'repair-init-container-termination-message',
    '',
    'message that it ends with; any if not given',
  ),
  repairExitCode: whole('repair-init-container-exit-code', 126, 255, 'code that it ends with; any if 0'),
  repairLabelSelectors: text('repair-label-selectors', '', 'selector of labels of the pods to look at'),
  repairFieldSelectors: text('repair-field-selectors', '', 'selector of fields of the pods to look at'),
  // What the container has where; Istio's image and chart go by the defaults.
  binSourceDir: text('cni-bin-source-dir', '/opt/cni/bin', 'folder of the plugin in the image'),
  binTargetDir: text('cni-bin-target-dir', '/host/opt/cni/bin', "folder of the node's plugins"),
  serviceAccountDir: text(
    'service-account-dir',
    '/var/run/secrets/kubernetes.io/serviceaccount',
    "folder of the agent's token",
  ),
  hostProcDir: text('host-proc-dir', '/host/proc', "the node's /proc"),
  readinessPort: whole('readiness-port', 8000, 65535, 'port of liveness and readiness'),
} as const satisfies Record<string, Setting<string> | Setting<number> | Setting<boolean>>;

type Value<S> = S extends { readonly read: (text: string) => infer T } ? Exclude<T, undefined> : never;
/** The settings by what they are called here. */
export type Settings = { readonly [Name in keyof typeof settings]: Value<(typeof settings)[Name]> };

/** Istio has these too; here they decide nothing. */
const withoutEffect = ['cni-network-config', 'cni-network-config-file', 'log-level', 'ztunnel-uds-address'];

export function addSettings(command: Command): Command {
  for (const { name, description, fallback } of Object.values(settings)) {
    const value = typeof fallback === 'boolean' ? '[bool]' : '<value>';
    const shown = fallback === '' ? description : `${description} (default: ${fallback})`;
    command.addOption(new Option(`--${name} ${value}`, `${shown}; ${variable(name)}`));
  }
  for (const name of withoutEffect) command.addOption(new Option(`--${name} <value>`, 'no effect').hideHelp());
  return command;
}

/**
 * Reads settings: a flag is stronger than the environment.
 *
 * @param given the flags as commander has them
 * @throws Error that names each setting that is wrong
 */
export function readSettings(
  given: Readonly<Record<string, unknown>>,
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const problems: string[] = [];
  const entries = Object.entries(settings).map(([key, setting]) => {
    const { name, also, read, fallback, expects } = setting as Setting<string | number | boolean>;
    const flagValue = given[camelCase(name)];
    const variableName = [variable(name), ...also].find((each) => environment[each] !== undefined);
    if (flagValue === undefined && variableName === undefined) return [key, fallback];
    const source = flagValue === undefined ? variableName! : `--${name}`;
    const value =
      flagValue === undefined ? environment[variableName!]! : flagValue === true ? 'true' : String(flagValue);
    const result = read(value);
    if (result === undefined) problems.push(`${source}: "${value}" is not ${expects}`);
    return [key, result ?? fallback];
  });
  if (problems.length > 0) throw new Error(problems.join('; '));
  return Object.fromEntries(entries) as Settings;
}

const variable = (name: string) => name.toUpperCase().replaceAll('-', '_');
const camelCase = (name: string) => name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
