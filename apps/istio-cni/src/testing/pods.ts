import type { Pod } from '../kubernetes/pod.ts';

type Metadata = Partial<Pod['metadata']>;

/** A pod with an injected sidecar. */
export function podWithSidecar(
  given: { readonly metadata?: Metadata; readonly spec?: Partial<Pod['spec']>; readonly status?: Pod['status'] } = {},
): Pod {
  return {
    metadata: {
      name: 'web-1',
      namespace: 'shop',
      uid: 'uid-1',
      resourceVersion: '7',
      annotations: { 'sidecar.istio.io/status': '{}' },
      ...given.metadata,
    },
    spec: {
      containers: [{ name: 'web' }, { name: 'istio-proxy', args: ['proxy', 'sidecar'] }],
      ...given.spec,
    },
    ...(given.status && { status: given.status }),
  };
}
