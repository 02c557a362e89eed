import type { Run } from '../command.ts';
import type { Family } from '../family.ts';

/**
 * iptables comes in variants that keep their rules apart: legacy (xtables) and nft (the same words for nf_tables).
 * `iptables` alone is one of them. A variant's programs are `NAME`, `NAME-save` and `NAME-restore`.
 */
export interface Variant {
  readonly family: Family;
  readonly name: string;
  /** Whether changes wait for others' by a lock, which they must be told to. */
  readonly locks: boolean;
  /** Whether anybody has rules in it, in this network namespace. */
  readonly hasRules: boolean;
}

export const forcibleVariants = ['legacy', 'nft'] as const;
export type VariantName = (typeof forcibleVariants)[number];

export const plainProgram = { ipv4: 'iptables', ipv6: 'ip6tables' } as const satisfies Record<Family, string>;

/** The variants whose programs are there, the preferred one first. */
export async function installedVariants(run: Run, family: Family, forced?: VariantName): Promise<readonly Variant[]> {
  const plain = plainProgram[family];
  const inspect = (suffix?: VariantName) => inspectVariant(run, family, suffix ? `${plain}-${suffix}` : plain);
  if (forced) return [await inspect(forced)].filter((variant) => variant !== undefined);
  const legacy = await inspect('legacy');
  const nft = await inspect('nft');
  const byName = [...(legacy?.hasRules ? [legacy, nft] : [nft, legacy])].filter((variant) => variant !== undefined);
  // The bare name is one of the others; where these have none, it is all there is.
  return byName.length > 0 ? byName : [await inspect()].filter((variant) => variant !== undefined);
}

/**
 * The variant to use: where rules are already, so that all are in one place, else nft.
 *
 * @returns undefined if none can be used, because there is no program or no support in the kernel
 */
export async function detectVariant(run: Run, family: Family, forced?: VariantName): Promise<Variant | undefined> {
  const tried = new Set<string>();
  for (const variant of await installedVariants(run, family, forced)) {
    if (await isUsable(run, variant)) return variant;
    tried.add(variant.name);
  }
  const plain = forced ? undefined : await inspectVariant(run, family, plainProgram[family]);
  return plain && !tried.has(plain.name) && (await isUsable(run, plain)) ? plain : undefined;
}

async function inspectVariant(run: Run, family: Family, name: string): Promise<Variant | undefined> {
  const state = await run({ program: `${name}-save`, args: [] });
  if (state.code !== 0) return undefined;
  const version = await run({ program: `${name}-save`, args: ['--version'] });
  return {
    family,
    name,
    locks: !version.stdout.includes('nf_tables') && hasLocks(version.stdout),
    // Rules, or chains that somebody made. A table that is there with the kernel's chains only shows that somebody looked.
    hasRules: /^(-A |:\S+ - )/m.test(state.stdout),
  };
}

/** Locks came with version 1.6.2; versions before that don't know `--version` here either. */
function hasLocks(text: string): boolean {
  const [, major, minor, patch] = /v(\d+)\.(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  if (major === undefined) return false;
  const version = [major, minor, patch ?? '0'].map(Number);
  const difference = version.map((part, index) => part - [1, 6, 2][index]!).find((part) => part !== 0);
  return (difference ?? 0) >= 0;
}

/** Tries a rule for a protocol that doesn't exist, and takes it back in the same transaction. */
async function isUsable(run: Run, { name, locks }: Variant): Promise<boolean> {
  const rule = 'INPUT -p 255 -j RETURN';
  const { code, stderr } = await run({
    program: `${name}-restore`,
    args: ['--noflush', ...waitArguments(locks)],
    input: `* nat\n-A ${rule}\n-D ${rule}\nCOMMIT\n`,
  });
  return code === 0 && !stderr.includes('does not exist');
}

/** Wait for the lock for 30 s, if there are locks. */
export function waitArguments(locks: boolean): readonly string[] {
  return locks ? ['--wait=30'] : [];
}
