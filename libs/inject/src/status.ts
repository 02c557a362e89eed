/** What an injection added to a pod, kept in the annotation `sidecar.istio.io/status`. */
export interface InjectionStatus {
  readonly initContainers: readonly string[];
  readonly containers: readonly string[];
  readonly volumes: readonly string[];
  readonly imagePullSecrets: readonly string[];
}

/** Undefined for a pod that hasn't been injected; text that isn't a status counts as none. */
export function parseStatus(text: string | undefined): InjectionStatus | undefined {
  try {
    const status = JSON.parse(text ?? '') as Partial<InjectionStatus> | null;
    const { initContainers, containers, volumes, imagePullSecrets } = status ?? {};
    return {
      initContainers: initContainers ?? [],
      containers: containers ?? [],
      volumes: volumes ?? [],
      imagePullSecrets: imagePullSecrets ?? [],
    };
  } catch {
    return undefined;
  }
}
