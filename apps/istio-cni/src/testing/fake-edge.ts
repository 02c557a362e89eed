import type { Command, CommandResult } from '@kedge/netfilter';
import type { Pod } from '../kubernetes/pod.ts';
import type { PluginEdge } from '../plugin/edge.ts';

type Reader = () => Pod | Error;

/**
 * An edge with one pod, or an error of reading it, and a host that has iptables-nft, whose state is what was written.
 * Commands are written down.
 */
export function fakeEdge(read: Pod | Error | Reader, given: Partial<PluginEdge> = {}) {
  const commands: Command[] = [];
  /** By program without its ending. */
  const states = new Map<string, string>();
  const answer = ({ program, input = '' }: Command): Partial<CommandResult> => {
    if (program.includes('legacy')) return { code: 127 };
    const variant = program.replace(/-(save|restore)$/, '');
    const state = states.get(variant) ?? '';
    if (program.endsWith('-restore') && !input.includes('-p 255')) states.set(variant, `${state}${savedForm(input)}\n`);
    return { stdout: program.endsWith('-save') ? state : '' };
  };
  const edge: PluginEdge = {
    readPod: () => {
      const result = typeof read === 'function' ? read() : read;
      return result instanceof Error ? Promise.reject(result) : Promise.resolve(result);
    },
    runIn: () => (command) => {
      commands.push(command);
      return Promise.resolve({ code: 0, stdout: '', stderr: '', ...answer(command) });
    },
    exists: () => Promise.resolve(true),
    wait: () => Promise.resolve(),
    ...given,
  };
  return {
    edge,
    commands: commands as readonly Command[],
    /** What was written to iptables. */
    written: () => commands.filter(({ program, input }) => program.endsWith('-restore') && !input?.includes('-p 255')),
  };
}

/** As iptables-save would show what iptables-restore read. */
function savedForm(input: string): string {
  return input.replaceAll(/^\* /gm, '*').replaceAll(/^-N (\S+)$/gm, ':$1 - [0:0]');
}
