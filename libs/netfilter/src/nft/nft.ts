import { type Command, CommandError, mustRun, programNotFound, type Run } from '../command.ts';
import type { Ruleset } from '../rule.ts';
import { listedShape, wantedShape } from './shape.ts';
import { nftRemoval, nftTransaction } from './transaction.ts';

/** What asks for the tables and chains that there are. */
export const nftQuery: Command = { program: 'nft', args: ['list', 'chains'] };

/**
 * Brings rules into effect, in one transaction, whatever was there before: tables and chains of ours that the rules don't
 * need are removed by it.
 */
export async function applyNft(run: Run, ruleset: Ruleset): Promise<void> {
  const transaction = nftTransaction(ruleset);
  const { stdout } = await run(nftQuery);
  await execute(run, [transaction, ...staleObjects(stdout, transaction, ruleset.owner)].join('\n'));
}

/** Whether rules are in effect, by the chains of their owner: which there are, and how many rules each has. */
export async function isNftInEffect(run: Run, ruleset: Ruleset): Promise<boolean> {
  const { stdout } = await mustRun(run, { program: 'nft', args: ['list', 'ruleset', 'inet'] });
  return listedShape(stdout, ruleset.owner) === wantedShape(nftTransaction(ruleset));
}

/** Commands that delete what is listed of an owner and not made by a transaction. */
function staleObjects(listed: string, transaction: string, owner: Ruleset['owner']): readonly string[] {
  const made = new Set(transaction.split('\n').map((line) => line.replace(/ \{.*$/, '')));
  let table = '';
  return listed.split('\n').flatMap((line) => {
    const [, family, name] = /^table (\S+) (\S+) \{/.exec(line) ?? [];
    if (name !== undefined) {
      table = family === 'inet' && name.startsWith(`${owner}-`) ? name : '';
      return table !== '' && !made.has(`add table inet ${table}`) ? [`delete table inet ${table}`] : [];
    }
    const [, chain] = /^\tchain (\S+) \{/.exec(line) ?? [];
    if (chain === undefined || table === '' || !made.has(`add table inet ${table}`)) return [];
    return made.has(`add chain inet ${table} ${chain}`) ? [] : [`delete chain inet ${table} ${chain}`];
  });
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
