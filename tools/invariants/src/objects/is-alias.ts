import type { Config } from '@kedge/model';

/**
 * Whether the object gives another host a further name. As in Istio, whoever sees the other host answers to its aliases,
 * wherever these are exported, and they share its routes.
 */
export const isAlias = ({ kind, spec }: Config): boolean =>
  kind === 'Service' && (spec as { readonly type?: string }).type === 'ExternalName';
