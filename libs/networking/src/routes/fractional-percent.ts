import type { FractionalPercent, RuntimeFractionalPercent } from '@kedge/envoy-api';
import type { Percent } from '@kedge/model';

/** Whole percents. */
export const wholePercent = (numerator: number): FractionalPercent => (numerator > 0 ? { numerator } : {});

/** Percents with fractions, to four digits after the point. */
export function finePercent({ value = 0 }: Percent): FractionalPercent {
  const numerator = Math.trunc(value * 10_000);
  return { ...(numerator > 0 ? { numerator } : {}), denominator: 'MILLION' };
}

export const atRuntime = (defaultValue: FractionalPercent): RuntimeFractionalPercent => ({ defaultValue });
