import type { Translation } from '@kedge/pushcontext';
import { ingressTranslation } from './ingress/translation.ts';

/** The APIs that are translated for every mesh. */
export const standardTranslations: readonly Translation[] = [ingressTranslation];
