import type { Command } from 'commander';

/** Flags that every command has, before it or after. */
export interface GlobalFlags {
  readonly istioNamespace: string;
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export function addGlobalFlags(program: Command): Command {
  return program
    .option('-i, --istioNamespace <namespace>', 'namespace of the control plane', 'istio-system')
    .option('-n, --namespace <namespace>', 'namespace of the objects meant')
    .option('-c, --kubeconfig <file>', 'configuration of the cluster')
    .option('--context <name>', 'the context of the kubeconfig to use')
    .option('--as <user>', 'a user to act as')
    .option('--as-group <group...>', 'groups to act as')
    .option('--as-uid <uid>', 'a UID to act as')
    .option('--kubeclient-timeout <duration>', 'how long to wait for answers of the cluster', '15s')
    .option('--vklog <level>', 'how much the client of Kubernetes logs (no effect)');
}
