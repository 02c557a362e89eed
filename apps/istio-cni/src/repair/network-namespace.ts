import { readdir, readFile, readlink } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';

/**
 * The network namespace that has an address, by way of a process in it. Where runtimes keep namespaces differs, /proc
 * doesn't; and a process's view of its network there needs no entering of namespaces. Of several processes the oldest is
 * taken, which is the pod's sandbox: init containers come and go.
 *
 * @param proc the node's /proc
 * @throws Error if there is none
 */
export async function findNetworkNamespace(proc: string, address: string): Promise<string> {
  const host = await namespaceOf(proc, '1');
  const pids = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
  const processes: { readonly pid: string; readonly namespace: string; readonly started: number }[] = [];
  for (const pid of pids) {
    const [namespace, started] = await Promise.all([namespaceOf(proc, pid), startOf(proc, pid)]);
    if (namespace !== undefined && namespace !== host && started !== undefined) {
      processes.push({ pid, namespace, started });
    }
  }
  processes.sort((a, b) => a.started - b.started);
  const seen = new Set<string>();
  for (const { pid, namespace } of processes) {
    if (seen.has(namespace)) continue;
    seen.add(namespace);
    if (await hasAddress(join(proc, pid, 'net'), address)) return join(proc, pid, 'ns/net');
  }
  throw new Error(`no process on this node has a network with the address ${address}`);
}

/** `net:[4026531840]`; undefined if the process is gone. */
function namespaceOf(proc: string, pid: string): Promise<string | undefined> {
  return readlink(join(proc, pid, 'ns/net')).catch(() => undefined);
}

/** When the process started, in ticks since boot: the 22nd field, behind the name, which may contain anything. */
async function startOf(proc: string, pid: string): Promise<number | undefined> {
  const stat = await readFile(join(proc, pid, 'stat'), 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.length > 19 ? Number(fields[19]) : undefined;
}

async function hasAddress(net: string, address: string): Promise<boolean> {
  const read = (name: string) => readFile(join(net, name), 'utf8').catch(() => '');
  if (isIPv6(address)) {
    const digits = ipv6Digits(address);
    return (await read('if_inet6')).split('\n').some((line) => line.startsWith(digits));
  }
  // An address, and in the line below what it is.
  const local = new RegExp(`\\|-- ${address.replaceAll('.', '\\.')}\\n\\s+/32 host LOCAL`);
  return local.test(await read('fib_trie'));
}

/** All 32 digits of an address, which come shortened. */
function ipv6Digits(address: string): string {
  // The URL parser writes an embedded IPv4 address as digits, too.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) => group.padStart(4, '0')).join('');
}
