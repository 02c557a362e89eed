import type { Capabilities } from '@kedge/go-template';

/** What Helm takes a cluster for that it does not ask: the APIs that Kubernetes has of itself. */
export const defaultCapabilities = (kubeVersion: string): Capabilities => ({
  kubeVersion,
  apiVersions: GROUP_VERSIONS,
  helmVersion: 'v3.18.0',
});

const GROUP_VERSIONS = [
  'v1',
  ...['v1', 'v1beta1', 'v1alpha1'].map((version) => `admissionregistration.k8s.io/${version}`),
  ...['v1', 'v1beta1'].map((version) => `apiextensions.k8s.io/${version}`),
  ...['v1', 'v1beta1', 'v1beta2'].map((version) => `apps/${version}`),
  ...['v1', 'v1beta1', 'v1alpha1'].map((version) => `authentication.k8s.io/${version}`),
  ...['v1', 'v1beta1'].map((version) => `authorization.k8s.io/${version}`),
  ...['v1', 'v2', 'v2beta1', 'v2beta2'].map((version) => `autoscaling/${version}`),
  ...['v1', 'v1beta1'].map((version) => `batch/${version}`),
  ...['v1', 'v1beta1', 'v1alpha1'].map((version) => `certificates.k8s.io/${version}`),
  ...['v1', 'v1beta1', 'v1alpha2'].map((version) => `coordination.k8s.io/${version}`),
  ...['v1', 'v1beta1'].map((version) => `discovery.k8s.io/${version}`),
  ...['v1', 'v1beta1'].map((version) => `events.k8s.io/${version}`),
  'extensions/v1beta1',
  ...['v1', 'v1beta1', 'v1beta2', 'v1beta3'].map((version) => `flowcontrol.apiserver.k8s.io/${version}`),
  'internal.apiserver.k8s.io/v1alpha1',
  ...['v1', 'v1beta1', 'v1alpha1'].map((version) => `networking.k8s.io/${version}`),
  ...['v1', 'v1beta1', 'v1alpha1'].map((version) => `node.k8s.io/${version}`),
  ...['v1', 'v1beta1'].map((version) => `policy/${version}`),
  ...['v1', 'v1beta1', 'v1alpha1'].map((version) => `rbac.authorization.k8s.io/${version}`),
  ...['v1beta1', 'v1alpha3'].map((version) => `resource.k8s.io/${version}`),
  ...['v1', 'v1beta1', 'v1alpha1'].map((version) => `scheduling.k8s.io/${version}`),
  ...['v1', 'v1beta1', 'v1alpha1'].map((version) => `storage.k8s.io/${version}`),
  'storagemigration.k8s.io/v1alpha1',
];
