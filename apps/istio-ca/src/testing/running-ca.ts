import { decode, encode } from '@kedge/envoy-api';
import { createLogging } from '@kedge/observability';
import { certificateServiceName, generateKey, makeCsr } from '@kedge/security';
import { until } from '@kedge/testbed';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CaServerFlags, runCaServer } from '../ca-server.ts';

const free = { host: '127.0.0.1', port: 0 };

interface RunningOptions {
  readonly flags?: Partial<CaServerFlags>;
  readonly environment?: Readonly<Record<string, string>>;
}

interface Ports {
  readonly secureGrpc: number;
  readonly http: number;
  readonly monitoring: number;
}

export interface Ask {
  readonly token: string;
  /** What the server's certificate is verified with. */
  readonly roots: string;
  /** Names that the request asks for. */
  readonly names: readonly string[];
  /** For whom, where it isn't for the caller. */
  readonly impersonated?: string;
}

/** The authority's server in this process, on ports that were free. */
export class RunningCa implements AsyncDisposable {
  readonly ports: Ports;
  /** What it logged. */
  readonly lines: readonly string[];
  readonly #end: () => Promise<void>;

  private constructor(ports: Ports, lines: readonly string[], end: () => Promise<void>) {
    this.ports = ports;
    this.lines = lines;
    this.#end = end;
  }

  /** Rejects with what it ends with where it can't start. */
  static async start({ flags = {}, environment = {} }: RunningOptions = {}): Promise<RunningCa> {
    const dir = await mkdtemp(join(tmpdir(), 'running-ca-'));
    const portsFile = join(dir, 'ports');
    const stop = new AbortController();
    const lines: string[] = [];
    const running = runCaServer({
      flags: {
        secureGRPCAddr: free,
        httpAddr: free,
        monitoringAddr: free,
        grpcHostIdentities: ['localhost'],
        trustDomain: 'mesh.example',
        trustDomainAliases: [],
        signingCertDir: join(dir, 'cacerts'),
        selfSignedCaKey: 'P-256',
        namespace: 'istio-system',
        clusterID: 'Kubernetes',
        shutdownDuration: 0,
        portsFile,
        ...flags,
      },
      environment,
      logging: createLogging(undefined, { write: (line) => lines.push(line) }),
      stop: stop.signal,
    }).finally(() => rm(dir, { recursive: true }));
    const served = until('the ports', async () => JSON.parse(await readFile(portsFile, 'utf8')) as Ports, {
      signal: stop.signal,
    });
    const ended = running.then(() => Promise.reject(new Error('it has ended')));
    try {
      const ports = await Promise.race([served, ended]);
      return new RunningCa(ports, lines, async () => {
        stop.abort();
        await running;
      });
    } finally {
      ended.catch(() => stop.abort());
      served.catch(() => undefined);
    }
  }

  /** Asks for a certificate. Gives the answer's elements. */
  async ask({ token, roots, names, impersonated }: Ask): Promise<readonly string[]> {
    const client = new Client(`localhost:${this.ports.secureGrpc}`, credentials.createSsl(Buffer.from(roots)));
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${token}`);
    const csr = await makeCsr(await generateKey({ algorithm: 'P-256' }), { names });
    const request = Buffer.from(
      encode('istio.v1.auth.IstioCertificateRequest', {
        csr,
        ...(impersonated && { metadata: { ImpersonatedIdentity: impersonated } }),
      }),
    );
    const asIs = (bytes: Buffer): Buffer => bytes;
    try {
      const answer = await new Promise<Buffer>((resolve, reject) => {
        client.makeUnaryRequest(
          `/${certificateServiceName}/CreateCertificate`,
          asIs,
          asIs,
          request,
          metadata,
          (error, value) => (error ? reject(error) : resolve(value!)),
        );
      });
      return decode('istio.v1.auth.IstioCertificateResponse', answer).certChain ?? [];
    } finally {
      client.close();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end();
  }
}
