import { image } from './agent-image.ts';

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
