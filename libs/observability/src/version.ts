/** What a binary was built from. */
export interface BuildInfo {
  readonly version: string;
  /** The commit, `unknown` outside a repository. */
  readonly revision: string;
  /** `Clean`, or `Modified` when the tree held changes that are in no commit. */
  readonly status: string;
  readonly tag: string;
}

/** Put in by the bundler; sources that run unbuilt have none. */
declare const __KEDGE_BUILD_INFO__: BuildInfo | undefined;

const unbuilt: BuildInfo = { version: 'dev', revision: 'unknown', status: 'Modified', tag: 'dev' };

export const buildInfo: BuildInfo = typeof __KEDGE_BUILD_INFO__ === 'undefined' ? unbuilt : __KEDGE_BUILD_INFO__;

/** One line of everything, in the form of Istio's binaries. */
export function versionLine(info: BuildInfo): string {
  const fields = Object.entries(versionFields(info)).map(([key, value]) => `${labels[key]}:${JSON.stringify(value)}`);
  return `version.BuildInfo{${fields.join(', ')}}`;
}

/** The keys of `version --output json`. What runs the binary stands under the key that scripts written for Istio read. */
export function versionFields(info: BuildInfo): Readonly<Record<string, string>> {
  return {
    version: info.version,
    revision: info.revision,
    golang_version: `node${process.versions.node}`,
    status: info.status,
    tag: info.tag,
  };
}

const labels: Readonly<Record<string, string>> = {
  version: 'Version',
  revision: 'GitRevision',
  golang_version: 'GolangVersion',
  status: 'BuildStatus',
  tag: 'GitTag',
};
