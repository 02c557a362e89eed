import { resolve } from 'node:path';
import type { BootstrapOptions } from '../bootstrap/bootstrap.ts';
import { nodeLocality } from '../bootstrap/node-metadata.ts';
import { filesIn } from '../identity/credential-files.ts';

/** How often gRPC looks for new certificates. */
const refreshInterval = '900s';

/**
 * The bootstrap of gRPC's xDS client (gRFC A27, certificates by A29), which finds the control plane at the agent's socket.
 * @param certificates the folder that the agent keeps the workload's certificate in; empty where it doesn't
 */
export function grpcBootstrap(
  { nodeId, metadata, xdsSocket }: Pick<BootstrapOptions, 'nodeId' | 'metadata' | 'xdsSocket'>,
  certificates: string,
): object {
  const { region, zone, subZone } = nodeLocality(metadata);
  const files = filesIn(certificates);
  return {
    xds_servers: [
      {
        server_uri: `unix://${resolve(xdsSocket)}`,
        channel_creds: [{ type: 'insecure' }],
        server_features: ['xds_v3'],
      },
    ],
    node: {
      id: nodeId,
      // Its resources are others than those of Envoy.
      metadata: { ...metadata, GENERATOR: 'grpc' },
      ...(region && { locality: { region, ...(zone && { zone }), ...(subZone && { sub_zone: subZone }) } }),
    },
    ...(certificates && {
      certificate_providers: {
        default: {
          plugin_name: 'file_watcher',
          config: {
            certificate_file: files.chain,
            private_key_file: files.key,
            ca_certificate_file: files.roots,
            refresh_interval: refreshInterval,
          },
        },
      },
    }),
    server_listener_resource_name_template: 'xds.istio.io/grpc/lds/inbound/%s',
  };
}
