import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What running one category of peer data came to; cases are files and table rows. */
export interface PeerResult {
  readonly cases: number;
  readonly equal: number;
  readonly failures: readonly string[];
  /** Tables that the runner leaves out, and why. */
  readonly leftOut?: readonly string[];
}

export type PeerRunner = (dir: string) => Promise<PeerResult>;

/** Runners by category, loaded when they are asked for. */
const runners: Readonly<Record<string, () => Promise<PeerRunner>>> = {
  authz: async () => (await import('./peer/authz.ts')).runAuthz,
  ingress: async () => (await import('./peer/ingress.ts')).runIngress,
  'gateway-api': async () => (await import('./peer/gateway-api.ts')).runGatewayApi,
  inject: async () => (await import('./peer/inject.ts')).runInject,
  istioctl: async () => (await import('./peer/istioctl.ts')).runIstioctlCases,
  manifests: async () => (await import('./peer/manifests.ts')).runManifests,
  crds: async () => (await import('./peer/crds.ts')).runCrds,
  netfilter: async () => (await import('./peer/netfilter.ts')).runNetfilter,
  bootstrap: async () => (await import('./peer/bootstrap.ts')).runBootstrap,
  'pki-authn': async () => (await import('./peer/pki-authn.ts')).runPkiAuthn,
  validation: async () => (await import('./peer/validation.ts')).runValidation,
};

export const categoryNames: readonly string[] = Object.keys(runners);

/** Runs categories of peer data and prints a line each. Data that isn't there is said so, in a line, and is no failure. */
export async function runPeer(dir: string | undefined, categories: readonly string[]): Promise<number> {
  const root = resolve(dir ?? process.env.CONFORMANCE_DIR ?? '../shared/conformance/peer');
  if (!existsSync(root)) {
    console.log(`peer: no data at ${root}; set CONFORMANCE_DIR or --dir`);
    return 0;
  }
  const unknown = categories.filter((category) => !(category in runners));
  if (unknown.length > 0) {
    console.error(`no runner for ${unknown.join(', ')}; there are: ${categoryNames.join(', ')}`);
    return 2;
  }
  let allEqual = true;
  for (const category of categories.length > 0 ? categories : categoryNames) {
    const load = runners[category];
    const folder = join(root, category);
    if (!load || !existsSync(folder)) {
      console.log(`${category}: no data at ${folder}`);
      continue;
    }
    const { cases, equal, failures, leftOut = [] } = await (await load())(folder);
    for (const failure of failures) console.log(`${category}: ${failure}`);
    for (const line of leftOut) console.log(`${category}: left out: ${line}`);
    console.log(`${category}: ${equal} of ${cases} equal`);
    allEqual &&= equal === cases;
  }
  return allEqual ? 0 : 1;
}
