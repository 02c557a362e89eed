import { type Command, CommandError, programNotFound, type Run } from '../command.ts';
import type { Ruleset } from '../rule.ts';
import { nftRemoval, nftTransaction } from './transaction.ts';

/**
 * Brings rules into effect, in one transaction, whatever was there before: tables of ours that the rules don't need are
 * removed by it.
 */
export async function applyNft(run: Run, ruleset: Ruleset): Promise<void> {
  const transaction = nftTransaction(ruleset);
  const listed = await run({ program: 'nft', args: ['list', 'tables'] });
  const stale = listed.stdout
    .split('\n')
    .map((line) => line.replace(/^table inet /, ''))
    .filter((table) => table.startsWith(`${ruleset.owner}-`) && !transaction.includes(`add table inet ${table}\n`));
  await execute(run, [transaction, ...stale.map((table) => `delete table inet ${table}`)].join('\n'));
}

/** Removes all that is ours, whatever options it was made with. */
export async function removeNft(run: Run, owner: Ruleset['owner']): Promise<void> {
  await execute(run, nftRemoval(owner));
}

async function execute(run: Run, transaction: string): Promise<void> {
  const command: Command = { program: 'nft', args: ['-f', '-'], input: `${transaction}\n` };
  const result = await run(command);
  if (result.code === programNotFound) {
    throw new Error(
      'native nftables is enabled, but there is no program "nft" here: install nftables, or use iptables',
    );
  }
  if (result.code !== 0) throw new CommandError(command, result);
}
