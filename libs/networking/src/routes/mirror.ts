import type { RouteAction } from '@kedge/envoy-api';
import type { Destination, HTTPRoute, Percent } from '@kedge/model';
import { atRuntime, finePercent, wholePercent } from './fractional-percent.ts';
import type { RouteContext } from './route-context.ts';

type MirrorPolicy = NonNullable<RouteAction['requestMirrorPolicies']>[number];

interface Mirror {
  readonly destination: Destination | undefined;
  /** Undefined for all requests. */
  readonly share: ReturnType<typeof wholePercent> | undefined;
}

/** Where copies of requests go: that of `mirror`, then those of `mirrors`. A share of 0 means none. */
export function mirrorPolicies(route: HTTPRoute, context: RouteContext): readonly MirrorPolicy[] {
  const { mirror, mirrors, mirrorPercent, mirrorPercentage } = route;
  const single: Mirror = {
    destination: mirror,
    share: mirrorPercentage
      ? finePercent(mirrorPercentage)
      : mirrorPercent === undefined
        ? undefined
        : wholePercent(mirrorPercent),
  };
  const zero = mirrorPercentage ? isNone(mirrorPercentage) : mirrorPercent === 0;
  const listed = mirrors
    .filter(({ percentage }) => !percentage || !isNone(percentage))
    .map(({ destination, percentage }): Mirror => ({ destination, share: percentage && finePercent(percentage) }));
  return [...(zero ? [] : [single]), ...listed].flatMap(({ destination, share = wholePercent(100) }) =>
    destination
      ? [
          {
            cluster: context.clusterOf(destination),
            runtimeFraction: atRuntime(share),
            traceSampled: false,
            ...(context.features.disableShadowHostSuffix ? { disableShadowHostSuffixAppend: true } : {}),
          },
        ]
      : [],
  );
}

const isNone = ({ value = 0 }: Percent): boolean => value <= 0;
