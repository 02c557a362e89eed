/** Adds a network, NAME or NAMESPACE/NAME, to the list in `k8s.v1.cni.cncf.io/networks`, which is a list of names or a JSON array. */
export function appendMultusNetwork(existing: string, network: string): string {
  if (existing === '') return network;
  const end = existing.lastIndexOf(']');
  if (!existing.trimStart().startsWith('[') || end < 0) return `${existing}, ${network}`;
  const separator = existing.slice(0, end).trim() === '[' ? '' : ', ';
  const [name = '', namespace] = network.split('/').reverse();
  const fields = `"name": "${name}"${namespace === undefined ? '' : `, "namespace": "${namespace}"`}`;
  return `${existing.slice(0, end)}${separator}{${fields}}${existing.slice(end)}`;
}
