import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { handlesIngress, translateIngresses } from '@kedge/gateway-api';
import { type Config, type KubernetesOf, type MeshConfig, parseConfigFile } from '@kedge/model';
import { parse, parseAllDocuments } from 'yaml';
import type { PeerResult } from '../peer.ts';
import type { Json } from '../compare.ts';

interface Case {
  readonly id: string;
  readonly input: string;
  readonly expected: string;
}

interface ClassRow {
  readonly ingressMode: string | number;
  readonly annotation?: string;
  readonly ingressClass?: string | null;
  readonly shouldProcess: boolean;
}

/** Where the reference ran: no services, and a mesh configuration that says nothing of ingress. */
const SURROUNDINGS = { domainSuffix: 'mydomain', gatewayNamespace: 'istio-system', portNumber: () => undefined };

/** Runs the peer data of Ingress: what it comes to, and which Ingresses are handled. */
export async function runIngress(dir: string): Promise<PeerResult> {
  const cases = await readCases<Case>(dir, 'cases.yaml');
  const rows = await readCases<ClassRow>(dir, 'ingress-class.yaml');
  const failures = [
    ...(await Promise.all(cases.map((one) => translationFailure(dir, one)))),
    ...rows.map(classFailure),
  ].filter((failure) => failure !== undefined);
  return { cases: cases.length + rows.length, equal: cases.length + rows.length - failures.length, failures };
}

async function readCases<T>(dir: string, file: string): Promise<readonly T[]> {
  return (parse(await readFile(join(dir, file), 'utf8')) as { readonly cases: readonly T[] }).cases;
}

async function translationFailure(dir: string, { id, input, expected }: Case): Promise<string | undefined> {
  const ingresses = parseConfigFile(await readFile(join(dir, input), 'utf8'), input).flatMap(({ config }) =>
    config?.kind === 'Ingress' ? [config as KubernetesOf<'Ingress'>] : [],
  );
  const { gateways, virtualServices } = translateIngresses(ingresses, {}, SURROUNDINGS);
  const wanted = parseAllDocuments(await readFile(join(dir, expected), 'utf8'))
    .map((document) => document.toJS() as Json)
    .filter((document) => document !== null);
  const found = [...gateways, ...virtualServices].sort((a, b) => (a.name < b.name ? -1 : 1)).map(manifest);
  return isDeepStrictEqual(wanted, found)
    ? undefined
    : `${id}: wanted ${JSON.stringify(wanted)}, found ${JSON.stringify(found)}`;
}

/** The object as a manifest, without what is at its default. */
function manifest({ kind, group, version, name, namespace, annotations, spec }: Config): Json {
  const metadata = { name, namespace, annotations };
  return withoutEmpty({ apiVersion: `${group}/${version}`, kind, metadata, spec } as Json) ?? null;
}

function withoutEmpty(value: Json): Json | undefined {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return value.length > 0 ? value.map((item) => withoutEmpty(item as Json) ?? null) : undefined;
  }
  const members = Object.entries(value).flatMap(([key, member]): readonly (readonly [string, Json])[] => {
    const kept = member === undefined ? undefined : withoutEmpty(member as Json);
    return kept === undefined ? [] : [[key, kept]];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

const CONTROLLERS: Readonly<Record<string, string>> = {
  ingressClassIstio: 'istio.io/ingress-controller',
  ingressClassOther: 'another-controller',
};

function classFailure({ ingressMode, annotation, ingressClass, shouldProcess }: ClassRow): string | undefined {
  const mesh = {
    ingressControllerMode: String(ingressMode) as MeshConfig['ingressControllerMode'],
    ingressClass: 'istio',
  };
  const annotations: Record<string, string> = annotation ? { 'kubernetes.io/ingress.class': annotation } : {};
  const controller = ingressClass ? CONTROLLERS[ingressClass] : undefined;
  const handled = handlesIngress(
    mesh,
    { annotations },
    controller === undefined ? undefined : { spec: { controller } },
  );
  const row = JSON.stringify({ ingressMode, annotation, ingressClass });
  return handled === shouldProcess ? undefined : `${row}: wanted ${shouldProcess}, found ${handled}`;
}
