/** The fields of Chart.yaml that templates can see. */
export interface ChartMetadata {
  readonly name: string;
  readonly version?: string;
  readonly apiVersion?: string;
  readonly appVersion?: string;
  readonly kubeVersion?: string;
  readonly description?: string;
  /** `application` if not given; of a `library` only templates whose names begin with `_` are used. */
  readonly type?: string;
  readonly home?: string;
  readonly icon?: string;
  readonly condition?: string;
  readonly tags?: string;
  readonly deprecated?: boolean;
  readonly sources?: readonly string[];
  readonly keywords?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly maintainers?: readonly { readonly name?: string; readonly email?: string; readonly url?: string }[];
  readonly dependencies?: readonly {
    readonly name?: string;
    readonly version?: string;
    readonly repository?: string;
    readonly condition?: string;
    readonly alias?: string;
  }[];
}

/** A chart in memory. Paths are relative to its folder. */
export interface Chart {
  readonly metadata: ChartMetadata;
  /** Values of values.yaml. */
  readonly values?: Readonly<Record<string, unknown>>;
  /** Templates by path, e.g. `templates/service.yaml`. */
  readonly templates: ReadonlyMap<string, string>;
  /** Other files by path, which templates see as `.Files`. */
  readonly files?: ReadonlyMap<string, string>;
  readonly dependencies?: readonly Chart[];
}

export interface Release {
  readonly name: string;
  readonly namespace: string;
  readonly isUpgrade?: boolean;
  /** From 1. */
  readonly revision?: number;
}

/** What the cluster is said to be able to do. */
export interface Capabilities {
  /** e.g. `v1.31.2` */
  readonly kubeVersion: string;
  /** Group versions and kinds: `apps/v1`, `apps/v1/Deployment`. */
  readonly apiVersions: readonly string[];
  readonly helmVersion?: string;
}
