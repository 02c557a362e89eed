import { message, type Messages } from './schema.ts';

/** The values of an installation: what of them is known, by message. Field names and types are those of Istio's API. */
export const valuesMessages: Messages = {
  Values: message({
    CNIConfig: 'cni',
    GatewaysConfig: 'gateways',
    GlobalConfig: 'global',
    PilotConfig: 'pilot',
    any: 'ztunnel meshConfig gatewayClasses',
    TelemetryConfig: 'telemetry',
    SidecarInjectorConfig: 'sidecarInjectorWebhook',
    CNIUsageConfig: 'istio_cni istioCni',
    string: 'revision ownerName defaultRevision profile compatibilityVersion',
    BaseConfig: 'base',
    IstiodRemoteConfig: 'istiodRemote',
    'string[]': 'revisionTags',
    ExperimentalConfig: 'experimental',
  }),
  CNIConfig: message({
    bool: 'enabled chained privileged istioOwnedCNIConfig useAppArmorAnnotation',
    string: [
      'hub variant image pullPolicy cniBinDir cniConfDir cniConfFileName cniNetnsDir psp_cluster_role',
      'pspClusterRole logLevel provider istioOwnedCNIConfigFileName',
    ].join(' '),
    any: 'tag',
    'string[]': 'excludeNamespaces',
    struct: 'env daemonSetLabels podAnnotations podLabels',
    Affinity: 'affinity',
    SeccompProfile: 'seccompProfile',
    GlobalLoggingConfig: 'logging',
    CNIRepairConfig: 'repair',
    ResourceQuotas: 'resource_quotas resourceQuotas',
    Resources: 'resources',
    CNIAmbientConfig: 'ambient',
    intOrString: 'rollingMaxUnavailable',
  }),
  GatewaysConfig: message({
    EgressGatewayConfig: 'istio-egressgateway',
    bool: 'enabled',
    IngressGatewayConfig: 'istio-ingressgateway',
    any: 'securityContext seccompProfile',
  }),
  GlobalConfig: message({
    ArchConfig: 'arch',
    'string[]': 'certSigners imagePullSecrets podDNSSearchNamespaces ipFamilies',
    bool: [
      'configValidation logAsJson omitSidecarInjectorConfigMap operatorManageWebhooks mountMtlsCerts',
      'externalIstiod configCluster nativeNftables enableReaderRBAC',
    ].join(' '),
    struct: 'defaultNodeSelector meshNetworks',
    'undefined|all|cluster|namespace': 'resourceScope',
    DefaultPodDisruptionBudgetConfig: 'defaultPodDisruptionBudget',
    DefaultResourcesConfig: 'defaultResources',
    'Toleration[]': 'defaultTolerations',
    string: [
      'hub imagePullPolicy istioNamespace meshID network priorityClassName variant remotePilotAddress',
      'pilotCertProvider jwtPolicy revision caAddress caName platform ipFamilyPolicy trustBundleName',
    ].join(' '),
    GlobalLoggingConfig: 'logging',
    MultiClusterConfig: 'multiCluster',
    ProxyConfig: 'proxy',
    ProxyInitConfig: 'proxy_init',
    SDSConfig: 'sds',
    any: 'tag',
    TracerConfig: 'tracer',
    IstiodConfig: 'istiod',
    STSConfig: 'sts',
    WaypointConfig: 'waypoint',
    NetworkPolicyConfig: 'networkPolicy',
    Agentgateway: 'agentgateway',
    ReaderServiceAccount: 'readerServiceAccount',
  }),
  PilotConfig: message({
    bool: 'enabled autoscaleEnabled configMap',
    int: 'autoscaleMin autoscaleMax replicaCount',
    struct: [
      'autoscaleBehavior nodeSelector deploymentLabels podLabels env podAnnotations',
      'serviceAnnotations serviceAccountAnnotations',
    ].join(' '),
    string: [
      'image keepaliveMaxServerConnectionAge jwksResolverExtraRootCA hub variant ipFamilyPolicy',
      'trustedZtunnelNamespace crlConfigMapName',
    ].join(' '),
    number: 'traceSampling',
    Resources: 'resources',
    TargetUtilizationConfig: 'cpu memory',
    intOrString: 'rollingMaxSurge rollingMaxUnavailable',
    'struct[]': 'extraContainerArgs envVarFrom',
    Affinity: 'affinity',
    SeccompProfile: 'seccompProfile',
    'Toleration[]': 'tolerations',
    'TopologySpreadConstraint[]': 'topologySpreadConstraints',
    'VolumeMount[]': 'volumeMounts',
    'Volume[]': 'volumes',
    any: 'tag',
    'string[]': 'ipFamilies',
    CNIUsageConfig: 'cni',
    PilotTaintControllerConfig: 'taint',
    IstiodRemoteConfig: 'istiodRemote',
  }),
  TelemetryConfig: message({
    bool: 'enabled',
    TelemetryV2Config: 'v2',
  }),
  SidecarInjectorConfig: message({
    bool: 'enableNamespacesByDefault rewriteAppHTTPProbe',
    string: 'reinvocationPolicy injectionURL',
    'LabelSelector[]': 'neverInjectSelector alwaysInjectSelector',
    struct: 'injectedAnnotations templates',
    'string[]': 'defaultTemplates',
  }),
  CNIUsageConfig: message({
    bool: 'enabled chained',
    string: 'provider',
  }),
  BaseConfig: message({
    bool: 'enableCRDTemplates enableIstioConfigCRDs validateGateway',
    'string[]': 'excludedCRDs',
    string: 'validationURL validationCABundle',
  }),
  IstiodRemoteConfig: message({
    string: 'injectionURL injectionPath injectionCABundle',
    bool: 'enabled enabledLocalInjectorIstiod',
  }),
  ExperimentalConfig: message({
    bool: 'stableValidationPolicy',
  }),
  GlobalLoggingConfig: message({
    string: 'level',
  }),
  CNIRepairConfig: message({
    bool: 'enabled labelPods repairPods deletePods',
    string: 'hub image createEvents brokenPodLabelKey brokenPodLabelValue initContainerName',
    any: 'tag',
  }),
  ResourceQuotas: message({
    bool: 'enabled',
    int: 'pods',
  }),
  Resources: message({
    stringMap: 'limits requests',
  }),
  CNIAmbientConfig: message({
    bool: [
      'enabled dnsCapture ipv6 reconcileIptablesOnStartup shareHostNetworkNamespace',
      'enableAmbientDetectionRetry',
    ].join(' '),
    string: 'configDir',
    'struct[]': 'enablementSelectors',
  }),
  EgressGatewayConfig: message({
    bool: 'autoscaleEnabled customService enabled runAsRoot',
    int: 'autoscaleMax autoscaleMin',
    TargetUtilizationConfig: 'memory cpu',
    struct: 'env nodeSelector podAnnotations serviceAnnotations',
    stringMap: 'labels',
    string: 'name type injectionTemplate ipFamilyPolicy',
    'struct[]': [
      'podAntiAffinityLabelSelector podAntiAffinityTermLabelSelector configVolumes',
      'additionalContainers',
    ].join(' '),
    'PortsConfig[]': 'ports',
    Resources: 'resources',
    'SecretVolume[]': 'secretVolumes',
    'Toleration[]': 'tolerations',
    intOrString: 'rollingMaxSurge rollingMaxUnavailable',
    ServiceAccount: 'serviceAccount',
    'string[]': 'ipFamilies',
  }),
  IngressGatewayConfig: message({
    bool: 'autoscaleEnabled customService enabled runAsRoot',
    int: 'autoscaleMax autoscaleMin replicaCount',
    TargetUtilizationConfig: 'memory cpu',
    struct: 'env nodeSelector podAnnotations resources serviceAnnotations',
    stringMap: 'labels',
    string: 'loadBalancerIP name type externalTrafficPolicy injectionTemplate ipFamilyPolicy',
    'string[]': 'loadBalancerSourceRanges ipFamilies',
    'struct[]': [
      'podAntiAffinityLabelSelector podAntiAffinityTermLabelSelector ingressPorts',
      'additionalContainers configVolumes',
    ].join(' '),
    'PortsConfig[]': 'ports',
    'SecretVolume[]': 'secretVolumes',
    'Toleration[]': 'tolerations',
    intOrString: 'rollingMaxSurge rollingMaxUnavailable',
    ServiceAccount: 'serviceAccount',
  }),
  ArchConfig: message({
    int: 'amd64 ppc64le s390x arm64',
  }),
  DefaultPodDisruptionBudgetConfig: message({
    bool: 'enabled',
  }),
  DefaultResourcesConfig: message({
    ResourcesRequestsConfig: 'requests',
  }),
  MultiClusterConfig: message({
    bool: 'enabled includeEnvoyFilter',
    string: 'clusterName globalDomainSuffix',
  }),
  ProxyConfig: message({
    string: [
      'autoInject clusterDomain componentLogLevel excludeInboundPorts excludeIPRanges image',
      'includeIPRanges logLevel outlierLogPath excludeOutboundPorts includeInboundPorts',
      'includeOutboundPorts',
    ].join(' '),
    'zipkin|lightstep|datadog|stackdriver|openCensusAgent|none': 'tracer',
    bool: 'enableCoreDump privileged holdApplicationUntilProxyStarts',
    int: 'readinessInitialDelaySeconds readinessPeriodSeconds readinessFailureThreshold statusPort',
    SeccompProfile: 'seccompProfile',
    Lifecycle: 'lifecycle',
    StartupProbe: 'startupProbe',
    Resources: 'resources',
  }),
  ProxyInitConfig: message({
    string: 'image',
    Resources: 'resources',
  }),
  SDSConfig: message({
    struct: 'token',
  }),
  TracerConfig: message({
    TracerDatadogConfig: 'datadog',
    TracerLightStepConfig: 'lightstep',
    TracerZipkinConfig: 'zipkin',
    TracerStackdriverConfig: 'stackdriver',
  }),
  IstiodConfig: message({
    bool: 'enableAnalysis',
  }),
  STSConfig: message({
    int: 'servicePort',
  }),
  WaypointConfig: message({
    Resources: 'resources',
    struct: 'nodeSelector',
    Affinity: 'affinity',
    'TopologySpreadConstraint[]': 'topologySpreadConstraints',
    'Toleration[]': 'toleration',
  }),
  NetworkPolicyConfig: message({
    bool: 'enabled',
  }),
  Agentgateway: message({
    string: 'image',
  }),
  ReaderServiceAccount: message({
    string: 'name namespace',
  }),
  TargetUtilizationConfig: message({
    int: 'targetAverageUtilization',
  }),
  PilotTaintControllerConfig: message({
    bool: 'enabled',
    string: 'namespace name',
  }),
  TelemetryV2Config: message({
    bool: 'enabled',
    TelemetryV2PrometheusConfig: 'prometheus',
    TelemetryV2StackDriverConfig: 'stackdriver',
  }),
  PortsConfig: message({
    string: 'name protocol',
    int: 'port nodePort targetPort',
  }),
  SecretVolume: message({
    string: 'mountPath name secretName',
  }),
  ServiceAccount: message({
    struct: 'annotations',
  }),
  ResourcesRequestsConfig: message({
    string: 'cpu memory',
  }),
  StartupProbe: message({
    bool: 'enabled',
    int: 'failureThreshold',
  }),
  TracerDatadogConfig: message({
    string: 'address',
  }),
  TracerLightStepConfig: message({
    string: 'address accessToken',
  }),
  TracerZipkinConfig: message({
    string: 'address',
  }),
  TracerStackdriverConfig: message({
    bool: 'debug',
    int: 'maxNumberOfAttributes maxNumberOfAnnotations maxNumberOfMessageEvents',
  }),
  TelemetryV2PrometheusConfig: message({
    bool: 'enabled',
  }),
  TelemetryV2StackDriverConfig: message({
    bool: 'enabled',
  }),
};
