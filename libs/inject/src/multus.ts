/** Adds a network, NAME or NAMESPACE/NAME, to the list in `k8s.v1.cni.cncf.io/networks`, which is a list of names or a JSON array. */
export function appendMultusNetwork(existing: string, network: string): string {
  if (existing === '') return network;
  const end = existing.lastIndexOf(']');
  if (!existing.trimStart().startsWith('[') || end < 0) {
    const names = existing.split(',').map((name) => name.trim());
    return names.includes(network) ? existing : `${existing}, ${network}`;
  }
  const separator = existing.slice(0, end).trim() === '[' ? '' : ', ';
  const [name = '', namespace] = network.split('/').reverse();
  const fields = `"name": "${name}"${namespace === undefined ? '' : `, "namespace": "${namespace}"`}`;
  if (hasNetwork(existing, name, namespace)) return existing;
  return `${existing.slice(0, end)}${separator}{${fields}}${existing.slice(end)}`;
}

function hasNetwork(list: string, name: string, namespace: string | undefined): boolean {
  try {
    const networks = JSON.parse(list) as readonly { readonly name?: string; readonly namespace?: string }[];
    return networks.some((network) => network.name === name && network.namespace === namespace);
  } catch {
    return false;
  }
}
