import type { Release, Values } from '@kedge/helm';
import { parse } from 'yaml';

/** Values that each chart is rendered with, a case a line, in YAML. */
interface ChartCases {
  readonly release: Release;
  readonly values: readonly string[];
}

const everyChart = [
  '{}',
  ...['ambient', 'demo', 'preview', 'remote', 'stable'].map((profile) => `{profile: ${profile}}`),
  ...['gke', 'openshift'].map((platform) => `{global: {platform: ${platform}}}`),
  '{compatibilityVersion: "1.25"}',
  '{profile: ambient, compatibilityVersion: "1.26", platform: openshift, revision: canary}',
  '{profile: nowhere}',
  '{platform: nowhere}',
  '{compatibilityVersion: "0.1"}',
  '{defaults: {hub: x}}',
  '{revision: canary, global: {resourceScope: cluster}}',
  '{global: {resourceScope: namespace, imagePullSecrets: [a, b], imagePullPolicy: Always, networkPolicy: {enabled: true}}}',
  '{resourceScope: cluster}',
  '{global: {hub: other.hub, tag: 1.10, variant: debug, logAsJson: true}}',
  '{resources: {limits: {cpu: "2"}, requests: {cpu: null, memory: 1Gi}}, env: {A: 1, B: true, C: "x y"}}',
];

const gateway = (kind: string): ChartCases => ({
  release: { name: kind, namespace: kind === 'ingress' ? 'istio-system' : 'gateways' },
  values: [
    ...everyChart,
    ...[
      '{autoscaleEnabled: false, replicaCount: 2, type: NodePort, resources: {}, tag: special}',
      '{labels: {app: a, istio: b, version: v9}, ports: [{port: 2, targetPort: 22, protocol: UDP, name: b}]}',
      '{configVolumes: [{name: c, configMapName: m, mountPath: /c}], nodeSelector: {zone: a}, runAsRoot: true}',
      '{podAntiAffinityLabelSelector: [{key: k, operator: In, values: "a,b", topologyKey: h, namespaces: "n,m"}]}',
      '{podAntiAffinityTermLabelSelector: [{key: k, operator: Exists, topologyKey: h}], env: {ISTIO_META_NETWORK: n}}',
      '{injectionTemplate: gateway, additionalContainers: [{name: s, image: t}], podAnnotations: {a: b}}',
    ].map((values) => `{gateways: {istio-${kind}gateway: ${values}}}`),
    '{global: {arch: {amd64: 2, arm64: 0}, defaultTolerations: [{key: a}], network: n, meshID: m, mountMtlsCerts: true}}',
  ],
});

/** Cases by chart. */
export const chartCases: Readonly<Record<string, ChartCases>> = {
  base: {
    release: { name: 'istio-base', namespace: 'istio-system' },
    values: [
      // The definitions take long to render, and of profiles only one concerns this chart.
      '{}',
      '{profile: stable}',
      '{platform: nowhere}',
      '{defaults: {hub: x}}',
      '{global: {resourceScope: namespace, imagePullSecrets: [a, b]}}',
      '{global: {resourceScope: cluster}}',
      '{defaultRevision: ""}',
      '{defaultRevision: canary, experimental: {stableValidationPolicy: true}}',
      '{base: {validationURL: "https://h:15017/validate", validationCABundle: Q0E=}}',
      '{base: {validationFailurePolicy: Fail, enableCRDTemplates: false}}',
      '{base: {excludedCRDs: [gateways.networking.istio.io]}, global: {readerServiceAccount: {name: r, namespace: q}}}',
    ],
  },
  default: {
    release: { name: 'istio-default', namespace: 'mesh' },
    values: [
      ...everyChart,
      '{revision: canary, sidecarInjectorWebhook: {enableNamespacesByDefault: true}}',
      '{base: {validationURL: "https://h/v"}, istiodRemote: {injectionURL: "https://h/i"}}',
    ],
  },
  'istio-control/istio-discovery': {
    release: { name: 'istiod', namespace: 'istio-system', isUpgrade: true },
    values: [
      ...everyChart,
      '{pilot: {autoscaleMin: 2, env: {X: y}, image: "own/pilot:1"}, autoscaleBehavior: {scaleDown: {selectPolicy: Disabled}}}',
      '{autoscaleEnabled: false, replicaCount: 3, pdb: {maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow}}',
      '{env: {EXTERNAL_CA: ISTIOD_RA_KUBERNETES_API, ENABLE_CLUSTER_TRUST_BUNDLE_API: true}, global: {certSigners: [a/b]}}',
      '{taint: {enabled: true, namespace: kube-system}, cni: {enabled: true}, jwksResolverExtraRootCA: "a\\nb"}',
      '{initContainers: [{name: i, image: "{{ .Values.global.hub }}/x"}], volumes: [{name: v, emptyDir: {}}]}',
      '{sidecarInjectorWebhook: {enableNamespacesByDefault: true, templates: {sidecar: "spec: {}"}}, revisionTags: [default, prod]}',
      '{istiodRemote: {enabled: true}, global: {remotePilotAddress: 10.0.0.1, configCluster: true}}',
      '{istiodRemote: {enabled: true, enabledLocalInjectorIstiod: true}, global: {remotePilotAddress: "fd00::1"}}',
      '{istiodRemote: {enabled: true, injectionURL: "https://h/i", injectionCABundle: Q0E=}, global: {remotePilotAddress: h.test}}',
      '{global: {proxy: {tracer: zipkin}}, telemetry: {v2: {stackdriver: {enabled: true}}}, meshConfig: {trustDomain: td}}',
      '{global: {istiod: {enableAnalysis: true}, meshNetworks: {n: {gateways: [{address: 1.1.1.1, port: 15443}]}}, meshID: m}}',
      '{gatewayClasses: {istio: {deployment: {spec: {replicas: 2}}}}, gateways: {seccompProfile: {type: RuntimeDefault}}}',
      '{global: {omitSidecarInjectorConfigMap: true, operatorManageWebhooks: true, configValidation: false}, configMap: false}',
      '{global: {pilotCertProvider: kubernetes}}',
      '{telemetry: {v2: {prometheus: {configOverride: {a: b}}}}}',
    ],
  },
  gateway: {
    release: { name: 'istio-ingress', namespace: 'istio-ingress' },
    values: [
      ...everyChart,
      '{kind: DaemonSet, labels: {app: a, istio: i, team: 1}, annotations: {a: 1}, serviceAccount: {create: false}}',
      '{replicaCount: 2, autoscaling: {enabled: false}, podDisruptionBudget: {minAvailable: 1}, strategy: {type: Recreate}}',
      '{autoscaling: {minReplicas: 2, targetMemoryUtilizationPercentage: 50}, podDisruptionBudget: {maxUnavailable: 1}}',
      '{networkGateway: n, networkGatewayPorts: {tls: {port: 1, protocol: UDP}}, service: {selectorLabels: {a: b}}}',
      '{service: {type: ClusterIP, clusterIP: None, ipFamilies: [IPv4], externalIPs: [1.1.1.1]}, global: {networkPolicy: {enabled: true}}}',
      '{service: {loadBalancerClass: x/y, allocateLoadBalancerNodePorts: false, ports: [{name: a, port: 1}]}}',
      '{service: {ports: []}}',
      '{service: {type: None}, rbac: {enabled: false}, securityContext: {runAsUser: 1}, lifecycle: {preStop: {sleep: {seconds: 1}}}}',
      '{unknown: 1}',
      '{replicaCount: many}',
      '{service: {ipFamilies: [IPv5]}}',
    ],
  },
  'gateways/istio-ingress': gateway('ingress'),
  'gateways/istio-egress': gateway('egress'),
  'istio-cni': {
    release: { name: 'istio-cni', namespace: 'kube-system' },
    values: [
      ...everyChart,
      ...['k3d', 'k3s', 'microk8s', 'minikube'].map((platform) => `{platform: ${platform}}`),
      '{cni: {ambient: {enabled: true, shareHostNetworkNamespace: true}, cniBinDir: ""}}',
      '{repair: {repairPods: false, deletePods: true}, provider: multus, chained: false, istioOwnedCNIConfig: true}',
      '{repair: {repairPods: false, labelPods: true}, seLinuxOptions: {level: s0}, useAppArmorAnnotation: false}',
      '{repair: {enabled: false}, excludeNamespaces: [a, b], resourceQuotas: {enabled: true}, updateStrategy: null}',
    ],
  },
  ztunnel: {
    release: { name: 'ztunnel', namespace: 'istio-system' },
    values: [
      ...everyChart,
      '{resourceName: zt, labels: {a: b}, annotations: {c: d}, network: n, peerCaCrl: {enabled: true}, logAsJson: true}',
      '{env: {ENABLE_CLUSTER_TRUST_BUNDLE_API: true}, caAddress: "ca:1", resourceQuotas: {enabled: true, pods: 3}}',
    ],
  },
  'istio-ca': {
    release: { name: 'istio-ca', namespace: 'istio-system' },
    values: [
      ...everyChart,
      '{replicaCount: 2, trustDomainAliases: [a, b], workloadCertTTL: 12h, hostIdentities: [ca.test], selfSigned: {key: P-256}}',
      '{autoscaleEnabled: true, autoscaleMin: 2, seccompProfile: {type: RuntimeDefault}, extraContainerArgs: [--a]}',
    ],
  },
};

export const valuesOf = (text: string): Values => parse(text) as Values;
