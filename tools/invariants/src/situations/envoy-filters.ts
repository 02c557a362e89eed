import { own, patch } from './parts.ts';
import { features, type Situation } from './situation.ts';

const ext = (v: boolean) => ({
  name: 'own',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router',
    suppress_envoy_headers: v,
  },
});

const listener = (portValue: number) => ({
  name: 'own',
  address: { socketAddress: { address: '127.0.0.1', portValue } },
  filterChains: [{}],
});

export const envoyFilterSituations: Readonly<Record<string, Situation>> = {
  'added extension': {
    objects: [...own, patch('EXTENSION_CONFIG', 'ADD', ext(true))],
    then: { objects: [patch('EXTENSION_CONFIG', 'ADD', ext(false))] },
  },
  'a filter after the last': {
    objects: [
      patch(
        'NETWORK_FILTER',
        'ADD',
        { name: 'own', typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.network.echo.v3.Echo' } },
        { context: 'SIDECAR_OUTBOUND', listener: { name: 'virtualOutbound' } },
      ),
    ],
    // Nothing else tells the two apart.
    settings: features({ PILOT_ENABLE_METADATA_EXCHANGE: 'false', PILOT_ENABLE_ALPN_FILTER: 'false' }),
    proxies: [{ stock: false }, { stock: true }],
  },
  'an extension that an Envoy lacks': {
    objects: [
      patch('CLUSTER', 'ADD', {
        name: 'own',
        type: 'STATIC',
        connectTimeout: '1s',
        transport_socket: {
          name: 'own',
          typed_config: {
            '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer',
          },
        },
      }),
    ],
    settings: features({ PILOT_ENABLE_METADATA_EXCHANGE: 'false', PILOT_ENABLE_ALPN_FILTER: 'false' }),
    proxies: [{ stock: false }, { stock: true }],
  },
  'an added listener': {
    objects: [patch('LISTENER', 'ADD', listener(1))],
    then: { objects: [patch('LISTENER', 'ADD', listener(2))] },
  },
  'an added cluster': {
    objects: [patch('CLUSTER', 'ADD', { name: 'own', type: 'STATIC', connectTimeout: '1s' })],
    then: { objects: [patch('CLUSTER', 'ADD', { name: 'own', type: 'STATIC', connectTimeout: '2s' })] },
  },
};
