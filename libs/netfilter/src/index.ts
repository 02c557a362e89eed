export { ambientHostRuleset, podAddressSets } from './ambient/host.ts';
export { type AmbientOptions, defaultHostProbeAddress, type PodOverrides } from './ambient/options.ts';
export { ambientPodRuleset } from './ambient/pod.ts';
export { type Command, CommandError, type CommandResult, programNotFound, type Run } from './command.ts';
export type { Family, PerFamily } from './family.ts';
export {
  applyIptables,
  type ApplyOptions,
  type ApplyResult,
  type Iptables,
  isIptablesInEffect,
  removeIptables,
  ResidueError,
} from './iptables/iptables.ts';
export { commandArguments, restoreLines, restoreText } from './iptables/text.ts';
export {
  detectVariant,
  forcibleVariants,
  installedVariants,
  plainProgram,
  type Variant,
  type VariantName,
} from './iptables/variant.ts';
export { type IptablesRule, iptablesRules } from './iptables/words.ts';
export { applyNft, isNftInEffect, nftQuery, removeNft } from './nft/nft.ts';
export { nftRemoval, nftTransaction, ruleLines } from './nft/transaction.ts';
export type { NftRule } from './nft/words.ts';
export { addRoutes, ambientPodRoutes, removeRoutes, type RouteEntry, sidecarRoutes } from './routes.ts';
export type { Ruleset } from './rule.ts';
export type { SidecarOptions } from './sidecar/options.ts';
export { parseRange } from './sidecar/range.ts';
export {
  defaultSidecarSettings,
  parseSidecarSettings,
  type SettingsResult,
  type SidecarSettings,
} from './sidecar/settings.ts';
export { sidecarRemnants, sidecarRuleset } from './sidecar/sidecar.ts';
