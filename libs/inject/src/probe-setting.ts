/** Whether probes are rewritten: as the pod says, else as the installation does. */
export function rewritesProbes(annotations: Readonly<Record<string, string>>, setting: boolean): boolean {
  const own = annotations['sidecar.istio.io/rewriteAppHTTPProbers'];
  return own === undefined ? setting : own === 'true';
}
