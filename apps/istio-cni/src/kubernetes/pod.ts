/** What is read of a pod; the API server tells more. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly hostNetwork?: boolean;
    readonly restartPolicy?: string;
    readonly initContainers?: readonly Container[];
    readonly containers: readonly Container[];
  };
  readonly status?: {
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext?: { readonly runAsUser?: number; readonly runAsGroup?: number };
}

export interface ContainerStatus {
  readonly name: string;
  readonly state?: { readonly terminated?: Termination };
  readonly lastState?: { readonly terminated?: Termination };
}

export interface Termination {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

/** Init containers too: a proxy may be one that goes on running. */
export function containersOf({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}

export function podName({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** @throws Error if an answer of the API server is no pod */
export function asPod(value: unknown): Pod {
  const pod = value as Partial<Pod> | null;
  if (typeof pod?.metadata?.name !== 'string' || !Array.isArray(pod.spec?.containers)) {
    throw new Error('the API server answered with something else than a pod');
  }
  return pod as Pod;
}
