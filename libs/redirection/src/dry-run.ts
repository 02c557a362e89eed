import { plainProgram, type Run, type Variant } from '@kedge/netfilter';

/** Variants as if nothing were known of the host. */
const variant = (family: Variant['family']): Variant => ({
  family,
  name: plainProgram[family],
  locks: false,
  hasRules: false,
});
export const dryRunVariants = { ipv4: variant('ipv4'), ipv6: variant('ipv6') };

/**
 * Writes down what is run: commands as they are called, and transactions as the text that they read. Everything succeeds.
 *
 * @param inEffect what queries of the state answer, by program
 */
export function recorder(inEffect: ReadonlyMap<string, string> = new Map()) {
  const lines: string[] = [];
  const run: Run = ({ program, args, input }) => {
    lines.push(input?.trimEnd() ?? [program, ...args].join(' '));
    return Promise.resolve({ code: 0, stdout: inEffect.get(program) ?? '', stderr: '' });
  };
  return { run, lines: lines as readonly string[] };
}
