import { encodeAny, packAny } from '@kedge/envoy-api';
import { GrpcServer } from '@kedge/grpc-server';
import { testCertificates } from '@kedge/testbed';
import { adsMethods, Answer, DiscoveryServer, type EncodedResource, GeneratorRegistry, TypeUrl } from '@kedge/xds-core';

const SERVICE = 'envoy.service.secret.v3.SecretDiscoveryService';

/** Serves, on a Unix socket, the secrets that an agent has: whatever the name, it is there. */
export async function serveAgentSecrets(path: string): Promise<AsyncDisposable> {
  const server = new DiscoveryServer<undefined, undefined, undefined>({
    initialSnapshot: undefined,
    nextSnapshot: () => undefined,
    mergeRequests: () => undefined,
    connect: () => ({ kind: 'accepted', client: undefined, nodeType: 'any' }),
    needsPush: () => 'none',
    generators: new GeneratorRegistry([
      [TypeUrl.secret, { generate: ({ subscription }) => new Answer(subscription.names.map(secretOf)) }],
    ]),
  });
  const { StreamAggregatedResources, DeltaAggregatedResources } = adsMethods(server);
  const grpc = new GrpcServer().addService(SERVICE, {
    ...(StreamAggregatedResources && { StreamSecrets: StreamAggregatedResources }),
    ...(DeltaAggregatedResources && { DeltaSecrets: DeltaAggregatedResources }),
  });
  await grpc.listen({ path });
  return {
    [Symbol.asyncDispose]: async () => {
      server[Symbol.dispose]();
      await grpc.shutdown(0);
    },
  };
}

/** Roots where the name says so, else a key pair. */
function secretOf(name: string): EncodedResource {
  const { authority, client } = testCertificates;
  const inline = (text: string) => ({ inlineString: text });
  const content = /^ROOTCA$|^file-root:|-cacert$/.test(name)
    ? { validationContext: { trustedCa: inline(authority) } }
    : { tlsCertificate: { certificateChain: inline(client.certificate), privateKey: inline(client.key) } };
  const any = encodeAny(packAny('envoy.extensions.transport_sockets.tls.v3.Secret', { name, ...content }));
  return { name, version: '1', any };
}
