import {
  addRoutes,
  applyIptables,
  applyNft,
  detectVariant,
  forcibleVariants,
  installedVariants,
  nftQuery,
  type Iptables,
  isIptablesInEffect,
  isNftInEffect,
  iptablesRules,
  plainProgram,
  removeIptables,
  removeNft,
  removeRoutes,
  restoreLines,
  restoreText,
  type Ruleset,
  type Run,
  type SidecarOptions,
  sidecarRemnants,
  sidecarRoutes,
  sidecarRuleset,
  type Variant,
  type VariantName,
} from '@kedge/netfilter';
import type { Logger } from '@kedge/observability';
import { dryRunVariants, recorder } from './dry-run.ts';

/** How rules are applied. */
export interface RedirectOptions {
  /** With nft rather than iptables. */
  readonly nativeNftables: boolean;
  /** Remove the rules. */
  readonly cleanupOnly: boolean;
  /** Replace rules of an earlier run that differ. */
  readonly reconcile: boolean;
  /** Replace rules even if they are as they should be. */
  readonly forceApply: boolean;
  /** The variant of iptables, `legacy` or `nft`; the fitting one if empty. */
  readonly forceIptablesBinary: string;
  /** The pod shares the files of others, and so the lock of iptables: its network namespace is its lock instead. */
  readonly cniMode: boolean;
  readonly networkNamespace: string;
}

/**
 * Applies or removes the rules of a pod, with iptables or nft, and what they need of addresses and routes.
 *
 * @param run runs programs in the pod's network namespace
 */
export async function redirect(flags: RedirectOptions, options: SidecarOptions, run: Run, log: Logger): Promise<void> {
  const ruleset = sidecarRuleset(options);
  const former = sidecarRemnants(options);
  if (flags.cleanupOnly) {
    if (flags.nativeNftables) await removeNft(run, ruleset.owner);
    else await removeFromAll(flags, sidecarRuleset(former), run, log);
    await removeRoutes(run, sidecarRoutes(former));
    return;
  }
  if (flags.nativeNftables) {
    await applyNft(run, ruleset);
    log.info('nftables: the rules are in effect');
  } else {
    const { changed, problems } = await applyIptables(
      { run, variants: await usableVariants(flags, options, run, log), ...lockOf(flags) },
      ruleset,
      { reconcile: flags.reconcile, force: flags.forceApply, confirm: true, remnants: sidecarRuleset(former) },
    );
    if (problems.length > 0) throw new Error(problems.join('\n'));
    log.info(
      changed.length > 0
        ? `iptables: rules written (${changed.join(', ')})`
        : 'iptables: the rules are in effect already',
    );
  }
  await addRoutes(run, sidecarRoutes(options));
}

/**
 * Whether the rules of a pod are in effect, all of them.
 *
 * @param run as for `redirect`
 */
export async function isRedirected(
  flags: RedirectOptions,
  options: SidecarOptions,
  run: Run,
  log: Logger,
): Promise<boolean> {
  const ruleset = sidecarRuleset(options);
  if (flags.nativeNftables) return isNftInEffect(run, ruleset);
  const variants = await usableVariants(flags, options, run, log);
  return isIptablesInEffect({ run, variants, ...lockOf(flags) }, ruleset);
}

/** What `redirect` would run, a command a line, and transactions as the text that programs read. */
export async function dryRun(flags: RedirectOptions, options: SidecarOptions): Promise<readonly string[]> {
  const ruleset = sidecarRuleset(options);
  if (flags.nativeNftables) {
    const { run, lines } = recorder();
    await (flags.cleanupOnly ? removeNft(run, ruleset.owner) : applyNft(run, ruleset));
    return lines.filter((line) => line !== [nftQuery.program, ...nftQuery.args].join(' '));
  }
  if (flags.cleanupOnly) {
    // As if the rules were in effect, to show how they go.
    const inEffect = ruleset.families.map((family) => {
      return [`${plainProgram[family]}-save`, restoreText(restoreLines(iptablesRules(ruleset, family)))] as const;
    });
    const { run, lines } = recorder(new Map(inEffect));
    await removeIptables({ run, variants: dryRunVariants }, ruleset);
    return lines;
  }
  const { run, lines } = recorder();
  await applyIptables({ run, variants: dryRunVariants }, ruleset, {
    reconcile: flags.reconcile,
    force: flags.forceApply,
    confirm: true,
  });
  return lines;
}

function lockOf({ cniMode, networkNamespace }: RedirectOptions): Pick<Iptables, 'lockFile'> {
  return cniMode && networkNamespace ? { lockFile: networkNamespace } : {};
}

async function usableVariants(
  flags: RedirectOptions,
  { families }: SidecarOptions,
  run: Run,
  log: Logger,
): Promise<Iptables['variants']> {
  const variants: { [F in Variant['family']]?: Variant } = {};
  for (const family of families) {
    const variant = await detectVariant(run, family, forcedVariant(flags));
    if (variant === undefined) throw new Error(unusable(plainProgram[family], flags));
    variants[family] = variant;
  }
  log.info(`using ${families.map((family) => variants[family]!.name).join(' ')}`);
  return variants;
}

/** Rules may be in any variant: that of an earlier image, for one. */
async function removeFromAll(flags: RedirectOptions, remnants: Ruleset, run: Run, log: Logger): Promise<void> {
  for (const family of ['ipv4', 'ipv6'] as const) {
    for (const variant of await installedVariants(run, family, forcedVariant(flags))) {
      const variants: { readonly [F in Variant['family']]?: Variant } = { [family]: variant };
      const changed = await removeIptables({ run, variants, ...lockOf(flags) }, remnants);
      log.info(changed.length > 0 ? `${variant.name}: rules removed` : `${variant.name}: there are no rules of ours`);
    }
  }
}

/** The variant of iptables that must be used; an error if there is none of that name. */
export function forcedVariant({ forceIptablesBinary: name }: RedirectOptions): VariantName | undefined {
  if (name === '') return undefined;
  const known = forcibleVariants.find((each) => each === name);
  if (known === undefined) {
    throw new Error(`invalid FORCE_IPTABLES_BINARY value "${name}": it is ${forcibleVariants.join(' or ')}`);
  }
  return known;
}

function unusable(program: string, { forceIptablesBinary }: RedirectOptions): string {
  const wanted = forceIptablesBinary ? `${program}-${forceIptablesBinary}` : program;
  return (
    `no usable ${wanted}: the program is missing, the kernel does not support it, ` +
    'or the privileges are (NET_ADMIN and NET_RAW are needed)'
  );
}
