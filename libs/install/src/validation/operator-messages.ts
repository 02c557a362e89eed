import { kubernetesMessages } from './kubernetes-messages.ts';
import { message, type Messages } from './schema.ts';

/** An IstioOperator, without its values and mesh configuration, which have rules of their own. */
export const operatorMessages: Messages = {
  ...kubernetesMessages,
  IstioOperator: message({ string: 'apiVersion kind', struct: 'metadata', IstioOperatorSpec: 'spec', any: 'status' }),
  IstioOperatorSpec: message({
    string: 'profile installPackagePath hub namespace revision compatibilityVersion',
    any: 'tag unvalidatedValues',
    struct: 'meshConfig values',
    IstioComponentSpec: 'components',
  }),
  IstioComponentSpec: message({
    BaseComponentSpec: 'base',
    ComponentSpec: 'pilot cni ztunnel istiodRemote',
    'GatewayComponentSpec[]': 'ingressGateways egressGateways',
  }),
  BaseComponentSpec: message({ bool: 'enabled', KubernetesResources: 'k8s' }),
  ComponentSpec: message({ bool: 'enabled', string: 'namespace hub', any: 'tag', KubernetesResources: 'k8s' }),
  GatewayComponentSpec: message({
    bool: 'enabled',
    string: 'namespace hub name',
    any: 'tag',
    stringMap: 'label',
    KubernetesResources: 'k8s',
  }),
  KubernetesResources: message({
    Affinity: 'affinity',
    'EnvVar[]': 'env',
    HorizontalPodAutoscalerSpec: 'hpaSpec',
    string: 'imagePullPolicy priorityClassName',
    stringMap: 'nodeSelector podAnnotations serviceAnnotations',
    PodDisruptionBudgetSpec: 'podDisruptionBudget',
    Probe: 'readinessProbe',
    int: 'replicaCount',
    ResourceRequirements: 'resources',
    ServiceSpec: 'service',
    DeploymentStrategy: 'strategy',
    'Toleration[]': 'tolerations',
    PodSecurityContext: 'securityContext',
    'Volume[]': 'volumes',
    'VolumeMount[]': 'volumeMounts',
    'KubernetesOverlay[]': 'overlays',
  }),
  KubernetesOverlay: message({ string: 'apiVersion kind name', 'OverlayPatch[]': 'patches' }),
  OverlayPatch: message({ string: 'path', any: 'value' }),
};
