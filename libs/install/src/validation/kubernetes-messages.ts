import { message, type Messages } from './schema.ts';

/** What of Kubernetes an installation is set up with: fields and types of its API. */
export const kubernetesMessages: Messages = {
  Affinity: message({ NodeAffinity: 'nodeAffinity', PodAffinity: 'podAffinity podAntiAffinity' }),
  NodeAffinity: message({
    NodeSelector: 'requiredDuringSchedulingIgnoredDuringExecution',
    'PreferredSchedulingTerm[]': 'preferredDuringSchedulingIgnoredDuringExecution',
  }),
  NodeSelector: message({ 'NodeSelectorTerm[]': 'nodeSelectorTerms' }),
  NodeSelectorTerm: message({ 'SelectorRequirement[]': 'matchExpressions matchFields' }),
  SelectorRequirement: message({ string: 'key operator', 'string[]': 'values' }),
  PreferredSchedulingTerm: message({ int: 'weight', NodeSelectorTerm: 'preference' }),
  PodAffinity: message({
    'PodAffinityTerm[]': 'requiredDuringSchedulingIgnoredDuringExecution',
    'WeightedPodAffinityTerm[]': 'preferredDuringSchedulingIgnoredDuringExecution',
  }),
  PodAffinityTerm: message({
    LabelSelector: 'labelSelector namespaceSelector',
    'string[]': 'namespaces matchLabelKeys mismatchLabelKeys',
    string: 'topologyKey',
  }),
  WeightedPodAffinityTerm: message({ int: 'weight', PodAffinityTerm: 'podAffinityTerm' }),
  LabelSelector: message({ stringMap: 'matchLabels', 'SelectorRequirement[]': 'matchExpressions' }),
  Toleration: message({ string: 'key operator value effect', int: 'tolerationSeconds' }),
  TopologySpreadConstraint: message({
    int: 'maxSkew minDomains',
    string: 'topologyKey whenUnsatisfiable nodeAffinityPolicy nodeTaintsPolicy',
    LabelSelector: 'labelSelector',
    'string[]': 'matchLabelKeys',
  }),
  SeccompProfile: message({ string: 'type localhostProfile' }),

  EnvVar: message({ string: 'name value', EnvVarSource: 'valueFrom' }),
  EnvVarSource: message({
    ObjectFieldSelector: 'fieldRef',
    ResourceFieldSelector: 'resourceFieldRef',
    KeySelector: 'configMapKeyRef secretKeyRef',
    FileKeySelector: 'fileKeyRef',
  }),
  ObjectFieldSelector: message({ string: 'apiVersion fieldPath' }),
  ResourceFieldSelector: message({ string: 'containerName resource', quantity: 'divisor' }),
  KeySelector: message({ string: 'name key', bool: 'optional' }),
  FileKeySelector: message({ string: 'volumeName path key', bool: 'optional' }),

  HorizontalPodAutoscalerSpec: message({
    CrossVersionObjectReference: 'scaleTargetRef',
    int: 'minReplicas maxReplicas',
    'MetricSpec[]': 'metrics',
    HorizontalPodAutoscalerBehavior: 'behavior',
  }),
  CrossVersionObjectReference: message({ string: 'kind name apiVersion' }),
  MetricSpec: message({ string: 'type', MetricSource: 'object pods resource containerResource external' }),
  MetricSource: message({
    string: 'name container',
    CrossVersionObjectReference: 'describedObject',
    MetricIdentifier: 'metric',
    MetricTarget: 'target',
  }),
  MetricIdentifier: message({ string: 'name', LabelSelector: 'selector' }),
  MetricTarget: message({ string: 'type', quantity: 'value averageValue', int: 'averageUtilization' }),
  HorizontalPodAutoscalerBehavior: message({ ScalingRules: 'scaleUp scaleDown' }),
  ScalingRules: message({
    int: 'stabilizationWindowSeconds',
    string: 'selectPolicy',
    'ScalingPolicy[]': 'policies',
    quantity: 'tolerance',
  }),
  ScalingPolicy: message({ string: 'type', int: 'value periodSeconds' }),
  PodDisruptionBudgetSpec: message({
    intOrString: 'minAvailable maxUnavailable',
    LabelSelector: 'selector',
    string: 'unhealthyPodEvictionPolicy',
  }),
  DeploymentStrategy: message({ string: 'type', RollingUpdateDeployment: 'rollingUpdate' }),
  RollingUpdateDeployment: message({ intOrString: 'maxUnavailable maxSurge' }),

  Probe: message({
    ExecAction: 'exec',
    HTTPGetAction: 'httpGet',
    TCPSocketAction: 'tcpSocket',
    GRPCAction: 'grpc',
    int: 'initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold terminationGracePeriodSeconds',
  }),
  ExecAction: message({ 'string[]': 'command' }),
  HTTPGetAction: message({ string: 'path host scheme', intOrString: 'port', 'HTTPHeader[]': 'httpHeaders' }),
  HTTPHeader: message({ string: 'name value' }),
  TCPSocketAction: message({ intOrString: 'port', string: 'host' }),
  GRPCAction: message({ int: 'port', string: 'service' }),
  Lifecycle: message({ LifecycleHandler: 'postStart preStop', string: 'stopSignal' }),
  LifecycleHandler: message({
    ExecAction: 'exec',
    HTTPGetAction: 'httpGet',
    TCPSocketAction: 'tcpSocket',
    SleepAction: 'sleep',
  }),
  SleepAction: message({ int: 'seconds' }),
  ResourceRequirements: message({ quantityMap: 'limits requests', 'ResourceClaim[]': 'claims' }),
  ResourceClaim: message({ string: 'name request' }),

  ServiceSpec: message({
    'ServicePort[]': 'ports',
    stringMap: 'selector',
    string: [
      'clusterIP type sessionAffinity loadBalancerIP externalName externalTrafficPolicy ipFamilyPolicy',
      'loadBalancerClass internalTrafficPolicy trafficDistribution',
    ].join(' '),
    'string[]': 'clusterIPs externalIPs loadBalancerSourceRanges ipFamilies',
    int: 'healthCheckNodePort',
    bool: 'publishNotReadyAddresses allocateLoadBalancerNodePorts',
    SessionAffinityConfig: 'sessionAffinityConfig',
  }),
  ServicePort: message({ string: 'name protocol appProtocol', int: 'port nodePort', intOrString: 'targetPort' }),
  SessionAffinityConfig: message({ ClientIPConfig: 'clientIP' }),
  ClientIPConfig: message({ int: 'timeoutSeconds' }),

  PodSecurityContext: message({
    struct: 'seLinuxOptions windowsOptions',
    int: 'runAsUser runAsGroup fsGroup',
    bool: 'runAsNonRoot',
    'int[]': 'supplementalGroups',
    string: 'supplementalGroupsPolicy fsGroupChangePolicy seLinuxChangePolicy',
    'Sysctl[]': 'sysctls',
    SeccompProfile: 'seccompProfile',
    AppArmorProfile: 'appArmorProfile',
  }),
  Sysctl: message({ string: 'name value' }),
  AppArmorProfile: message({ string: 'type localhostProfile' }),
  VolumeMount: message({
    string: 'name recursiveReadOnly mountPath subPath mountPropagation subPathExpr',
    bool: 'readOnly',
  }),
  // What a kind of volume has of its own is left to the API server.
  Volume: message({
    string: 'name',
    struct: [
      'hostPath emptyDir gcePersistentDisk awsElasticBlockStore gitRepo secret nfs iscsi glusterfs',
      'persistentVolumeClaim rbd flexVolume cinder cephfs flocker downwardAPI fc azureFile configMap',
      'vsphereVolume quobyte azureDisk photonPersistentDisk projected portworxVolume scaleIO storageos',
      'csi ephemeral image',
    ].join(' '),
  }),
};
