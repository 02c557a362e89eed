import { formatPath, isJsonObject, type Json, type JsonObject, parseMeshConfig } from '@kedge/model';
import { child, textAt } from '../tree.ts';
import { featureErrors, featureWarnings } from './features.ts';
import { kubernetesMessages } from './kubernetes-messages.ts';
import { operatorMessages } from './operator-messages.ts';
import { proxyValueErrors } from './proxy-values.ts';
import { checkMessage, type SchemaFinding } from './schema.ts';
import { valuesMessages } from './values-messages.ts';

export interface OperatorFindings {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** What is wrong or doubtful in an IstioOperator. Where fields are of no use, nothing else is looked at. */
export function validateOperator(operator: JsonObject): OperatorFindings {
  const unread = checkMessage(operatorMessages, 'IstioOperator', operator).map(operatorText);
  if (unread.length > 0) return { errors: unread, warnings: [] };
  const spec = child(operator, 'spec');
  const values = child(spec, 'values');
  const findings = checkMessage(VALUES, 'Values', values).map(valuesText);
  return {
    errors: [
      ...findings,
      ...featureErrors(spec),
      ...meshErrors(values.meshConfig),
      ...proxyValueErrors(child(values, 'global', 'proxy')),
      ...meshErrors(spec.meshConfig),
      ...imageErrors(spec),
      ...nameErrors(spec),
    ],
    warnings: featureWarnings(spec),
  };
}

const VALUES = { ...kubernetesMessages, ...valuesMessages };

/** The field first, as scripts look for it; then where it is, and what may have been meant. */
function placed({ text, path, isUnknown }: SchemaFinding, owner: string): string {
  const [problem = '', ...hint] = text.split(';');
  return isUnknown ? [`${problem}${owner} (${formatPath(path)})`, ...hint].join(';') : `${formatPath(path)} ${text}`;
}

const operatorText = (finding: SchemaFinding): string => `could not unmarshal: json: ${placed(finding, '')}`;

function valuesText(finding: SchemaFinding): string {
  const path = ['values', ...finding.path];
  if (!(finding.message in kubernetesMessages)) {
    const owner = ` in istio.operator.v1alpha1.${finding.message}`;
    return `could not unmarshal: error unmarshaling JSON: while decoding JSON: ${placed({ ...finding, path }, owner)}`;
  }
  const end = finding.path.findIndex((key) => typeof key === 'number');
  const field = finding.path.slice(0, end < 0 ? -1 : end).join('.');
  return `invalid schema for ${field}: error unmarshaling JSON: while decoding JSON: json: ${placed({ ...finding, path }, '')}`;
}

function meshErrors(mesh: Json | undefined): readonly string[] {
  if (!isJsonObject(mesh)) return [];
  const { diagnostics } = parseMeshConfig(JSON.stringify(mesh));
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ field, message }) => `meshConfig${field && `.${field}`}: ${message}`);
}

/** A repository, as registries name them, a tag that images may have, and a revision that can be part of a name. */
function imageErrors(spec: JsonObject): readonly string[] {
  const [hub, tag, revision] = [textAt(spec, 'hub'), String(spec.tag ?? ''), textAt(spec, 'revision')];
  return [
    ...(hub === '' || HUB.test(hub) ? [] : [`bad hub: could not parse reference: ${hub}/pilot`]),
    ...(tag === '' || TAG.test(tag) ? [] : [`bad tag: could not parse reference: istio/pilot:${tag}`]),
    ...(revision === '' || LABEL.test(revision) ? [] : [`invalid revision specified: ${revision}`]),
  ];
}

const HUB = /^[A-Za-z0-9.-]+(?::\d+)?(?:\/[a-z0-9._-]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const OBJECT_NAME = /^[a-z0-9.-]{1,254}$/;

function nameErrors(spec: JsonObject): readonly string[] {
  return ['egressGateways', 'ingressGateways'].flatMap((kind) => {
    const gateways = child(spec, 'components')[kind];
    const names = Array.isArray(gateways)
      ? gateways.filter(isJsonObject).map((gateway) => textAt(gateway, 'name'))
      : [];
    return names
      .filter((name) => name !== '' && !OBJECT_NAME.test(name))
      .map((name) => `invalid value ${kind}.name: ${name}`);
  });
}
