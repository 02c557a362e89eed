import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
export const chartsFolder = join(root, 'charts');

/** What charts have in common lies in one place; each chart has a copy, since a chart is installed from its own folder. */
interface Copies {
  /** Folder below the root of the repository. */
  readonly from: string;
  /** Folder in each chart. */
  readonly to: string;
  readonly charts: readonly string[];
  /** Which files, all if not given. */
  readonly files?: readonly string[];
  /** Whether they are templates that say where they come from. */
  readonly marked: boolean;
}

const discovery = 'istio-control/istio-discovery';
const gateways = ['gateways/istio-ingress', 'gateways/istio-egress'];
const nodeAgents = ['istio-cni', 'ztunnel'];
const all = ['base', 'default', discovery, 'gateway', ...gateways, ...nodeAgents, 'istio-ca'];

const templates = { from: 'charts/common/templates', to: 'templates', marked: true };

const copies: readonly Copies[] = [
  { ...templates, charts: all, files: ['_mesh.tpl', 'zzz_profile.yaml'] },
  { ...templates, charts: ['base', 'default', discovery], files: ['_webhooks.tpl'] },
  { ...templates, charts: nodeAgents, files: ['_quota.tpl'] },
  { from: 'charts/common/gateways/templates', to: 'templates', marked: true, charts: gateways },
  { from: 'charts/common/profiles', to: 'files', marked: false, charts: all },
  { from: 'libs/inject/templates', to: 'files/inject', marked: false, charts: [discovery] },
];

/** Every copied file, by its path below `charts`. */
export function chartCopies(): ReadonlyMap<string, string> {
  return new Map(copies.flatMap(filesOf));
}

function filesOf({ from, to, charts, files, marked }: Copies): readonly (readonly [string, string])[] {
  return (files ?? readdirSync(join(root, from))).flatMap((name) => {
    const text = readFileSync(join(root, from, name), 'utf8');
    const copy = marked
      ? `{{- /* Copied from ${from}/${name}: change it there, then \`npm run gen:charts\`. */ -}}\n${text}`
      : text;
    return charts.map((chart) => [join(chart, to, basename(name)), copy] as const);
  });
}
