import type { Features, Service } from '@kedge/model';
import type { PortPolicy } from '../clusters/traffic-policy.ts';

/** Whether clients always learn of endpoints that aren't ready, as they must to tell when to turn to farther ones. */
export function forcesUnhealthy(service: Service, { sendUnhealthyEndpoints }: Features): boolean {
  return sendUnhealthyEndpoints || service.trafficDistribution !== 'any';
}

/** Whether clients may learn of them at all; Envoy must then not fall back on them, however few are healthy. */
export function mayHaveUnhealthy(service: Service, features: Features): boolean {
  return features.autoSendUnhealthyEndpoints || forcesUnhealthy(service, features);
}

/** Whether clients with this policy learn of them: not where the policy itself has Envoy fall back on them. */
export function includesUnhealthy(service: Service, policy: PortPolicy | undefined, features: Features): boolean {
  if (forcesUnhealthy(service, features)) return true;
  return mayHaveUnhealthy(service, features) && !((policy?.outlierDetection?.minHealthPercent ?? 0) > 0);
}

/** Whether the service keeps clients on the endpoint that they began with, also while it drains. */
export function keepsSessions({ labels }: Service, features: Features): boolean {
  return [features.persistentSessionLabel, features.persistentSessionHeaderLabel].some(
    (label) => label !== '' && Boolean(labels[label]),
  );
}
