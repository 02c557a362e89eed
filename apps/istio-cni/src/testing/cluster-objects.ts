import { image } from './agent-image.ts';

const name = 'istio-cni';

/** Where things are. */
export interface AgentPlaces {
  /** Of the agent. */
  readonly namespace: string;
  /** Where the node has its CNI plugins. */
  readonly binDir: string;
}

/** The node agent, as a chart installs it, with the rights that any way of repairing takes. */
export function agentObjects(
  { namespace, binDir }: AgentPlaces,
  settings: Readonly<Record<string, string>>,
): readonly object[] {
  const metadata = { name, namespace };
  const hostPaths = {
    '/host/opt/cni/bin': binDir,
    '/host/etc/cni/net.d': '/etc/cni/net.d',
    '/host/proc': '/proc',
    '/var/run/istio-cni': '/var/run/istio-cni',
  };
  const volumes = Object.values(hostPaths).map((path, index) => ({ name: `host-${index}`, hostPath: { path } }));
  const volumeMounts = Object.keys(hostPaths).map((mountPath, index) => ({ name: `host-${index}`, mountPath }));
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: namespace },
      rules: [
        { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'delete'] },
        { apiGroups: [''], resources: ['pods/status'], verbs: ['patch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: namespace },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: namespace },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: `${name}-node`, namespace },
      spec: {
        selector: { matchLabels: { 'k8s-app': `${name}-node` } },
        template: {
          metadata: { labels: { 'k8s-app': `${name}-node` } },
          spec: {
            serviceAccountName: name,
            priorityClassName: 'system-node-critical',
            terminationGracePeriodSeconds: 5,
            tolerations: [{ operator: 'Exists' }],
            containers: [
              {
                name: 'install-cni',
                image: image.reference,
                command: [image.node, image.installCni],
                args: ['--log_output_level=default:info,cni-plugin:debug'],
                env: [
                  ...Object.entries(settings).map(([key, value]) => ({ name: key, value })),
                  { name: 'REPAIR_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
                  { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
                ],
                readinessProbe: { httpGet: { path: '/readyz', port: 8000 }, periodSeconds: 1 },
                securityContext: {
                  runAsUser: 0,
                  capabilities: {
                    drop: ['ALL'],
                    add: ['NET_ADMIN', 'NET_RAW', 'SYS_PTRACE', 'SYS_ADMIN', 'DAC_OVERRIDE'],
                  },
                },
                volumeMounts,
              },
            ],
            volumes,
          },
        },
      },
    },
  ];
}

/** Listens on the ports and says its name and the port. */
const server = (role: string, ...ports: readonly number[]) =>
  `for (const port of ${JSON.stringify(ports)}) require('node:net').createServer((socket) => socket.on('error', () => {}).end('${role} ' + port)).listen(port);`;

const unprivileged = (uid: number) => ({ runAsUser: uid, runAsGroup: uid, capabilities: { drop: ['ALL'] } });

const container = (containerName: string, uid: number, command: readonly string[]) => ({
  name: containerName,
  image: image.reference,
  command,
  securityContext: unprivileged(uid),
});

const idle = ['/usr/bin/node', '-e', 'setInterval(() => {}, 1e9)'];
const podSpec = { terminationGracePeriodSeconds: 1, automountServiceAccountToken: false };

/** A pod that is no part of the mesh. Its application answers at 8080. */
export function plainPod(pod: string, podNamespace: string) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod, namespace: podNamespace },
    spec: { ...podSpec, containers: [container('app', 1000, [image.node, '-e', server('application', 8080)])] },
  };
}

/**
 * A pod as injected for a mesh with the CNI plugin: an init container that looks whether traffic is redirected, and a stand-in
 * for the proxy at the proxy's ports. No container has any capability.
 *
 * @param serves whether anything is to answer; else its containers just wait
 */
export function meshPod(pod: string, podNamespace: string, serves = true) {
  const plain = plainPod(pod, podNamespace);
  const validate = [
    'istio-iptables',
    '-p',
    '15001',
    '-z',
    '15006',
    '-u',
    '1337',
    '-m',
    'REDIRECT',
    '-i',
    '*',
    '-x',
    '',
  ];
  const args = [...validate, '-b', '*', '-d', '15090,15021,15020', '--run-validation', '--skip-rule-apply'];
  return {
    ...plain,
    metadata: { ...plain.metadata, annotations: { 'sidecar.istio.io/status': '{}' } },
    spec: {
      ...plain.spec,
      initContainers: [container('istio-validation', 1337, [image.node, image.pilotAgent, ...args])],
      containers: [
        ...(serves ? plain.spec.containers : [container('app', 1000, idle)]),
        {
          ...container('istio-proxy', 1337, serves ? [image.node, '-e', server('proxy', 15001, 15006)] : idle),
          args: ['proxy', 'sidecar'],
        },
      ],
    },
  };
}

/** The same with its proxy as a native sidecar. */
export function nativeSidecarPod(pod: string, podNamespace: string) {
  const { spec, ...rest } = meshPod(pod, podNamespace);
  const [app, proxy] = spec.containers;
  const initContainers = [...spec.initContainers, { ...proxy, restartPolicy: 'Always' }];
  return { ...rest, spec: { ...spec, initContainers, containers: [app] } };
}

/** A Job whose pods are those of the mesh; one that fails is followed by another. */
export function meshJob(job: string, podNamespace: string) {
  const { spec, metadata } = meshPod(job, podNamespace);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: job, namespace: podNamespace },
    spec: {
      backoffLimit: 10,
      template: { metadata: { annotations: metadata.annotations }, spec: { ...spec, restartPolicy: 'Never' } },
    },
  };
}
