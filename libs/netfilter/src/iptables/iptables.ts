import { CommandError, type Command, type CommandResult, mustRun, type Run } from '../command.ts';
import type { Family } from '../family.ts';
import type { Ruleset } from '../rule.ts';
import { removalLines, unmarkedRules } from './removal.ts';
import { hasResidue, hasShapeOf, parseSaved, type SavedState } from './state.ts';
import { checkArguments, restoreLines, restoreText } from './text.ts';
import { type Variant, waitArguments } from './variant.ts';
import { iptablesRules, type IptablesRule } from './words.ts';

/** iptables in one network namespace. */
export interface Iptables {
  readonly run: Run;
  /** The variant of each family that can be used. */
  readonly variants: { readonly [F in Family]?: Variant };
  /** The lock of legacy iptables, if not the host's: pods that share the host's files needn't wait for each other. */
  readonly lockFile?: string;
}

export interface ApplyOptions {
  /** Replace rules of an earlier run that differ; otherwise they are an error. */
  readonly reconcile: boolean;
  /** Replace rules even if they are as they should be. */
  readonly force: boolean;
  /** Ask for the state in the end, and compare. */
  readonly confirm: boolean;
  /** Whose rules to look for in others' chains when replacing what is there; the rules themselves if not given. */
  readonly remnants?: Ruleset;
}

export interface ApplyResult {
  /** The families whose rules were written; none if all was as it should be. */
  readonly changed: readonly Family[];
  /** With `confirm`: how the rules in effect differ from those applied. */
  readonly problems: readonly string[];
}

/** Rules of an earlier run are in the way, and it wasn't asked to replace them. */
export class ResidueError extends Error {
  override readonly name = 'ResidueError';
}

/**
 * Brings rules into effect. What is already so is left alone; what differs is replaced in one transaction for each table,
 * so that there is no moment without rules.
 */
export async function applyIptables(iptables: Iptables, ruleset: Ruleset, options: ApplyOptions): Promise<ApplyResult> {
  const states = new Map<Family, SavedState>();
  for (const variant of variantsOf(iptables)) {
    states.set(variant.family, await stateOf(iptables, variant));
  }
  const changed: Family[] = [];
  for (const family of ruleset.families) {
    const variant = requireVariant(iptables, family);
    const state = states.get(family)!;
    const rules = iptablesRules(ruleset, family);
    if (rules.length === 0) continue;
    const isClean = !hasResidue(state);
    if (!isClean && !options.force) {
      if (await isInEffect(iptables, variant, state, rules)) continue;
      if (!options.reconcile) {
        throw new ResidueError(
          `${variant.name}: rules of an earlier run are in place and differ from those wanted; ` +
            'with --reconcile they are replaced, with --cleanup-only removed',
        );
      }
    }
    const former = options.remnants ? iptablesRules(options.remnants, family) : rules;
    const removal = isClean ? undefined : removalLines(state, await present(iptables, variant, former));
    const added = restoreLines(rules);
    try {
      await restore(iptables, variant, removal ? restoreText(removal, added) : restoreText(added));
    } catch (error) {
      // Somebody may have brought the same into effect since we looked.
      if (!(await isInEffect(iptables, variant, await stateOf(iptables, variant), rules))) throw error;
      continue;
    }
    changed.push(family);
  }
  return { changed, problems: options.confirm ? await confirm(iptables, ruleset) : [] };
}

/**
 * Removes all that is ours, in all families and whatever options it was made with.
 *
 * @param remnants what to look for in others' chains, besides the jumps to ours
 */
export async function removeIptables(iptables: Iptables, remnants: Ruleset): Promise<readonly Family[]> {
  const changed: Family[] = [];
  for (const variant of variantsOf(iptables)) {
    const state = await stateOf(iptables, variant);
    if (!hasResidue(state)) continue;
    const former = await present(iptables, variant, iptablesRules(remnants, variant.family));
    await restore(iptables, variant, restoreText(removalLines(state, former)));
    changed.push(variant.family);
  }
  return changed;
}

/** Whether rules are in effect, all of them and no others of ours. */
export async function isIptablesInEffect(iptables: Iptables, ruleset: Ruleset): Promise<boolean> {
  for (const family of ruleset.families) {
    const variant = requireVariant(iptables, family);
    const state = await stateOf(iptables, variant);
    if (!(await isInEffect(iptables, variant, state, iptablesRules(ruleset, family)))) return false;
  }
  return true;
}

async function isInEffect(
  iptables: Iptables,
  variant: Variant,
  state: SavedState,
  rules: readonly IptablesRule[],
): Promise<boolean> {
  if (!hasShapeOf(state, rules)) return false;
  for (const rule of rules) if (!(await isPresent(iptables, variant, rule))) return false;
  return true;
}

async function confirm(iptables: Iptables, ruleset: Ruleset): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const family of ruleset.families) {
    const variant = requireVariant(iptables, family);
    const { stdout } = await save(iptables, variant);
    if (!hasShapeOf(parseSaved(stdout), iptablesRules(ruleset, family))) {
      problems.push(`${variant.name}: the rules in effect are not those applied:\n${stdout.trim()}`);
    }
  }
  return problems;
}

async function present(
  iptables: Iptables,
  variant: Variant,
  rules: readonly IptablesRule[],
): Promise<readonly IptablesRule[]> {
  const found: IptablesRule[] = [];
  for (const rule of unmarkedRules(rules)) if (await isPresent(iptables, variant, rule)) found.push(rule);
  return found;
}

async function isPresent(iptables: Iptables, variant: Variant, rule: IptablesRule): Promise<boolean> {
  const args = [...checkArguments(rule), ...waitArguments(variant.locks)];
  return (await iptables.run(inContext(iptables, { program: variant.name, args }))).code === 0;
}

async function stateOf(iptables: Iptables, variant: Variant): Promise<SavedState> {
  return parseSaved((await save(iptables, variant)).stdout);
}

async function save(iptables: Iptables, { name }: Variant): Promise<CommandResult> {
  return mustRun(iptables.run, inContext(iptables, { program: `${name}-save`, args: [] }));
}

async function restore(iptables: Iptables, { name, locks }: Variant, input: string): Promise<void> {
  const command = { program: `${name}-restore`, args: ['--noflush', ...waitArguments(locks)], input };
  const result = await iptables.run(inContext(iptables, command));
  if (result.code !== 0) throw new CommandError(command, { ...result, stderr: withLine(result.stderr, input) });
}

/** The error with the line that it is about, which the program gives by number only. */
function withLine(stderr: string, input: string): string {
  const [, number] = /line:? (\d+)/.exec(stderr) ?? [];
  const line = number === undefined ? undefined : input.split('\n')[Number(number) - 1];
  return line === undefined ? stderr : `${stderr.trim().split('\n')[0]} (in line ${number}: ${line})`;
}

function inContext({ lockFile }: Iptables, command: Command): Command {
  return lockFile === undefined ? command : { ...command, env: { XTABLES_LOCKFILE: lockFile } };
}

function variantsOf({ variants }: Iptables): readonly Variant[] {
  return [variants.ipv4, variants.ipv6].filter((variant) => variant !== undefined);
}

function requireVariant({ variants }: Iptables, family: Family): Variant {
  const variant = variants[family];
  if (variant === undefined) throw new Error(`no ${family === 'ipv4' ? 'iptables' : 'ip6tables'} that can be used`);
  return variant;
}
