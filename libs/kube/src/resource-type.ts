/** What every object of Kubernetes says of itself. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: ObjectMeta;
}

export interface ObjectMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  /** Changes with each change of the object; an update that names an older one is refused. */
  readonly resourceVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** How the API server knows a kind of objects. */
export interface ResourceType<T extends KubeObject> {
  /** `v1`, or the group and the version, as `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The name in URLs. */
  readonly plural: string;
  /** Of the type only; there is no such value. */
  readonly object?: T;
}

export interface ObjectPlace {
  readonly name?: string | undefined;
  /** Absent for objects of no namespace. */
  readonly namespace?: string | undefined;
}

/** The path of an object, or of all of a namespace where it has no name. */
export function pathOf({ apiVersion, plural }: ResourceType<KubeObject>, { name, namespace }: ObjectPlace): string {
  const root = apiVersion.includes('/') ? ['apis', ...apiVersion.split('/')] : ['api', apiVersion];
  const parts = [
    ...root,
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    plural,
    ...(name === undefined ? [] : [name]),
  ];
  if (parts.some((part) => /^\.{0,2}$/.test(part))) throw new Error(`${parts.join('/')} is no path of an object`);
  return `/${parts.map(encodeURIComponent).join('/')}`;
}
