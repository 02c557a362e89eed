const FIRST_MINOR = 33;

/**
 * Whether the proxy runs as an init container that is restarted: `true` and `false` say so, `auto` asks whether every node has a
 * kubelet of at least 1.33. A version that cannot be read counts as too old, no node at all as new enough.
 */
export function usesNativeSidecars(setting: string, kubeletVersions: readonly string[]): boolean {
  if (setting !== 'auto') return setting === 'true';
  return kubeletVersions.every((version) => {
    const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
    return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= FIRST_MINOR);
  });
}
