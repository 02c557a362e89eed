import { isJsonObject, type Json, type JsonObject, parseProtocol } from '@kedge/model';

const REQUIREMENTS = 'https://istio.io/latest/docs/ops/deployment/application-requirements/';
const SELECTION = 'https://istio.io/latest/docs/ops/configuration/traffic-management/protocol-selection/';

const specOf = (object: JsonObject): JsonObject => (isJsonObject(object.spec) ? object.spec : {});

/** Ports of a Service that do not say what they speak, or say what nobody knows. */
export function serviceProblems(service: JsonObject, name: string, namespace: string): readonly string[] {
  const { ports } = specOf(service);
  const subject = `service "${name}/${namespace}/:"`;
  return (Array.isArray(ports) ? ports.filter(isJsonObject) : []).flatMap((port) => {
    if (String(port.protocol ?? '').toUpperCase() === 'UDP') return [];
    const isUnknown = (text: Json): boolean => parseProtocol(String(text)) === 'Unsupported';
    if (port.appProtocol !== undefined && port.appProtocol !== null) {
      if (!isUnknown(port.appProtocol)) return [];
      return [`${subject} doesn't follow Istio protocol selection. This is not recommended, See ${SELECTION}`];
    }
    if (port.name === undefined || port.name === null)
      return [`${subject} has an unnamed port. This is not recommended, See ${REQUIREMENTS}`];
    const [prefix = ''] = String(port.name).split('-');
    if (!isUnknown(prefix)) return [];
    return [`${subject} port "${String(port.name)}" does not follow the Istio naming convention. See ${REQUIREMENTS}`];
  });
}

const NAMES = ['service.istio.io/canonical-name', 'app.kubernetes.io/name', 'app'];
const REVISIONS = ['service.istio.io/canonical-revision', 'app.kubernetes.io/version', 'version'];

/** A Deployment whose pods will have neither name nor version in telemetry. */
export function deploymentNote(deployment: JsonObject, name: string, namespace: string): readonly string[] {
  const labels = labelsOf(specOf(deployment).template);
  const has = (keys: readonly string[]): boolean => keys.some((key) => key in labels);
  if (has(NAMES) && has(REVISIONS)) return [];
  const text = Object.entries(labels).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return [
    `deployment "${name}/${namespace}:" may not provide Istio metrics and telemetry labels: ` +
      `map[${text.sort().join(' ')}]. See ${REQUIREMENTS}\n`,
  ];
}

function labelsOf(template: Json | undefined): JsonObject {
  const metadata = isJsonObject(template) ? template.metadata : undefined;
  const labels = isJsonObject(metadata) ? metadata.labels : undefined;
  return isJsonObject(labels) ? labels : {};
}
