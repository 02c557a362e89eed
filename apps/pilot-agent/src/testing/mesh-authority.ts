import { GrpcServer, type ServiceMethods } from '@kedge/grpc-server';
import {
  CertificateAuthority,
  certificateService,
  certificateServiceName,
  ClientCertificateAuthenticator,
  JwtAuthenticator,
  MemoryCaStore,
  openSelfSigned,
  parseJwtRule,
} from '@kedge/security';
import { TokenIssuer } from '@kedge/testbed';

const trustDomains = () => ({ own: 'cluster.local', aliases: [] });

/** An authority with its service on a port of loopback, which takes its own certificates and the tokens of its issuer. */
export class MeshAuthority implements AsyncDisposable {
  readonly issuer = new TokenIssuer();
  readonly authority: CertificateAuthority;
  readonly #server: GrpcServer;
  #port = 0;

  private constructor(authority: CertificateAuthority, services: Readonly<Record<string, ServiceMethods>>) {
    this.authority = authority;
    const rule = parseJwtRule(this.issuer.jwtRule);
    const fetchText = () => Promise.reject(new Error('nothing is to be fetched'));
    const authenticators = [
      new ClientCertificateAuthenticator({ trustDomains }),
      new JwtAuthenticator({ rule, trustDomains, fetchText }),
    ];
    this.#server = new GrpcServer().addService(
      certificateServiceName,
      certificateService({ authority, authenticators, trustDomains, requireTls: true }),
    );
    for (const [name, methods] of Object.entries(services)) this.#server.addService(name, methods);
  }

  static async start(services: Readonly<Record<string, ServiceMethods>> = {}): Promise<MeshAuthority> {
    const key = { algorithm: 'P-256' } as const;
    const store = new MemoryCaStore();
    const material = await openSelfSigned({ store, organization: 'cluster.local', ttl: 86_400_000, key });
    const mesh = new MeshAuthority(new CertificateAuthority({ material }), services);
    const { key: serverKey, chain: cert } = await mesh.authority.issueKey(['istiod.istio-system.svc'], 3_600_000);
    const credentials = { key: serverKey, cert, ca: mesh.authority.roots };
    const tls = { credentials, clientCertificate: 'optional' } as const;
    mesh.#port = (await mesh.#server.listen({ host: '127.0.0.1', port: 0, tls })).port;
    return mesh;
  }

  get target() {
    return { address: `127.0.0.1:${this.#port}`, serverName: 'istiod.istio-system.svc', clusterId: 'east' };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.shutdown();
  }
}
