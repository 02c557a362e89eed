import type { ComponentInstance } from './components.ts';
import type { ComponentManifests } from './generate.ts';
import { type Manifest, printYaml, sortManifests } from './manifest.ts';

/** A file that leads from an IstioOperator to Helm. */
export interface TranslatedFile {
  readonly name: string;
  readonly text: string;
  readonly isExecutable?: boolean;
}

/**
 * What Helm needs in order to take over an installation: values and a script for each component that has a chart of its own, both
 * outputs where they differ, and a README. `chartsAt` is where the charts are.
 */
export function translateToHelm(parts: readonly ComponentManifests[], chartsAt: string): readonly TranslatedFile[] {
  const translated = parts.map((part) => translateComponent(part, chartsAt));
  const readme = [...README, ...translated.map(({ summary }) => summary), ''].join('\n');
  return [...translated.flatMap(({ files }) => files), { name: 'README.md', text: readme }];
}

const README = [
  '# From IstioOperator to Helm',
  '',
  'These files were written by `istioctl manifest translate`, which changes nothing in a cluster.',
  'Take the steps of each component below, in their order.',
  '',
  '# Components',
];

interface Translated {
  readonly files: readonly TranslatedFile[];
  readonly summary: string;
}

const nameOfInstance = ({ name, component }: ComponentInstance): string => name || component.key;

function translateComponent(part: ComponentManifests, chartsAt: string): Translated {
  const { instance, values } = part;
  const name = nameOfInstance(instance);
  if (instance.component.isGateway) {
    return { files: [], summary: `* ❌ **Component \`${name}\`**: migration is **NOT** directly supported!` };
  }
  const valuesFile = `${name}-values.yaml`;
  const differing = differingOutputs(part, name);
  const [helm, istioctl] = differing;
  const warning =
    helm === undefined || istioctl === undefined
      ? ''
      : `\n  ⚠️ Settings of \`k8s\` are no values of the chart: see what they change by \`diff ${helm.name} ${istioctl.name}\`.\n`;
  const script = `install-${name}.sh`;
  return {
    files: [
      { name: valuesFile, text: `${printYaml(values)}\n` },
      { name: script, text: installScript(part, name, valuesFile, chartsAt), isExecutable: true },
      ...differing,
    ],
    summary: [
      `* ✅ **Component \`${name}\`**: migration is supported!`,
      warning,
      `  The values are in ${valuesFile}; \`${script}\` installs with them.`,
    ].join('\n'),
  };
}

/** Objects have to be marked as those of the release before Helm touches them. */
function installScript(part: ComponentManifests, name: string, valuesFile: string, chartsAt: string): string {
  const { component, namespace } = part.instance;
  const marks = part.rendered.flatMap((manifest) => {
    const target = `${typeOf(manifest)}${namespaceFlag(manifest)} ${manifest.name}`;
    return [
      `kubectl annotate ${target} meta.helm.sh/release-name=${name}`,
      `kubectl annotate ${target} meta.helm.sh/release-namespace=${namespace}`,
      `kubectl label ${target} app.kubernetes.io/managed-by=Helm`,
    ];
  });
  const install = `helm upgrade --install ${name} --namespace ${namespace} -f ${valuesFile} ${chartsAt}/${component.chart}`;
  return ['#!/usr/bin/env bash', '', '# Mark what is there as parts of the release.', ...marks, '', install, ''].join(
    '\n',
  );
}

const typeOf = ({ kind, group }: Manifest): string => [kind, group].filter(Boolean).join('.');
const namespaceFlag = ({ namespace }: Manifest): string => (namespace === '' ? '' : ` --namespace=${namespace}`);

function differingOutputs({ rendered, manifests }: ComponentManifests, name: string): readonly TranslatedFile[] {
  const print = (objects: readonly Manifest[]): string =>
    sortManifests(objects)
      .map((manifest) => manifest.print())
      .join('\n---\n');
  const [helm, istioctl] = [print(rendered), print(manifests)];
  if (helm === istioctl) return [];
  return [
    { name: `diff-${name}-helm-output.yaml`, text: `${helm}\n` },
    { name: `diff-${name}-istioctl-output.yaml`, text: `${istioctl}\n` },
  ];
}
