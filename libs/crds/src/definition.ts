import { type ConfigKind, type KindInfo, kinds } from '@kedge/model';
import { messageFacts } from './facts/index.ts';
import { type PrinterColumn, kindFacts } from './facts/kinds.ts';
import { type OpenApi, openApiOf } from './openapi.ts';
import { statusSchema } from './status.ts';

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  /** Whether objects are stored in this version; it is so of exactly one. */
  readonly storage: boolean;
  readonly subresources: { readonly status: Readonly<Record<string, never>> };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: OpenApi };
}

/** A CustomResourceDefinition of `apiextensions.k8s.io/v1`. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories: readonly string[];
    };
    readonly scope: 'Cluster' | 'Namespaced';
    readonly versions: readonly DefinitionVersion[];
  };
}

/** The definitions of all kinds of Istio's API, by group and kind. */
export function customResourceDefinitions(): readonly CustomResourceDefinition[] {
  const inOrder = Object.values<KindInfo<unknown, ConfigKind>>(kinds).sort(
    (a, b) => compare(a.group, b.group) || compare(a.kind, b.kind),
  );
  return inOrder.map(definitionOf);
}

function definitionOf(info: KindInfo<unknown, ConfigKind>): CustomResourceDefinition {
  const { kind, group, plural, shortNames, namespaced } = info;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // An installation is upgraded by these, so they are what they have always been.
      labels: { app: 'istio-pilot', chart: 'istio', heritage: 'Tiller', release: 'istio', ...groupLabel(group) },
      annotations: { 'helm.sh/resource-policy': 'keep' },
    },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length > 0 && { shortNames }),
        categories: ['istio-io', group.replaceAll('.', '-')],
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: versionsOf(info),
    },
  };
}

const LABELLED: ReadonlySet<string> = new Set(['security.istio.io', 'telemetry.istio.io']);

function groupLabel(group: string): Readonly<Record<string, string>> {
  return LABELLED.has(group) ? { istio: group.slice(0, group.indexOf('.')) } : {};
}

function versionsOf({ kind, schema, versions }: KindInfo<unknown, ConfigKind>): readonly DefinitionVersion[] {
  const { about, specRequired, columns } = kindFacts[kind];
  const openAPIV3Schema: OpenApi = {
    type: 'object',
    properties: { spec: openApiOf(schema, messageFacts, { about }), status: statusSchema },
    ...(specRequired && { required: ['spec'] }),
  };
  return versions.toSorted(compare).map((name) => ({
    name,
    served: true,
    storage: name === versions[0],
    subresources: { status: {} },
    ...(columns.length > 0 && { additionalPrinterColumns: columns }),
    schema: { openAPIV3Schema },
  }));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
