import { decode, encode } from '@kedge/envoy-api';
import type { CallContext, Method } from '@kedge/grpc-server';
import {
  CertificateAuthority,
  certificateService,
  generateKey,
  type KeyAlgorithm,
  makeCsr,
  MemoryCaStore,
  openSelfSigned,
} from '@kedge/security';
import { printTable } from './measure.ts';

const SECONDS = 2;
const identity = 'spiffe://cluster.local/ns/default/sa/reviews';

/** Signatures of the certificate service alone: no connection, but all that is done with a message. */
export const sign = {
  about: 'certificates signed by the certificate service, without its transport; the workload has a key of P-256',
  async run(): Promise<void> {
    printTable([
      ['authority', 'per CPU second', 'CPU ms each', 'per second'],
      await row('P-256'),
      await row('P-384'),
      await row('RSA'),
    ]);
  },
};

async function row(algorithm: KeyAlgorithm): Promise<readonly string[]> {
  const create = await service(algorithm);
  const csr = await makeCsr(await generateKey({ algorithm: 'P-256' }), { names: [identity] });
  const request = encode('istio.v1.auth.IstioCertificateRequest', { csr, validityDuration: '86400' });
  const answer = decode('istio.v1.auth.IstioCertificateResponse', await create(request));
  if (answer.certChain?.length !== 2) throw new Error('nothing was signed');
  await signFor(0.5, () => create(request));
  const before = process.cpuUsage();
  const start = performance.now();
  const count = await signFor(SECONDS, () => create(request));
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = (user + system) / 1e6;
  const name = algorithm === 'RSA' ? 'RSA-2048' : algorithm;
  return [
    name,
    (count / cpuSeconds).toFixed(0),
    ((1000 * cpuSeconds) / count).toFixed(2),
    (count / seconds).toFixed(0),
  ];
}

/** Eight callers, each with one request at a time. */
async function signFor(seconds: number, call: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      await call();
      count++;
      // Lets the timers and the network of the process have their turn, as between messages.
      if (count % 100 === 0) await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: 8 }, caller));
  return count;
}

async function service(algorithm: KeyAlgorithm): Promise<(request: Uint8Array) => Promise<Uint8Array>> {
  const store = new MemoryCaStore();
  const material = await openSelfSigned({ store, organization: 'bench', ttl: 86_400_000, key: { algorithm } });
  const caller = { source: 'token', identities: [identity] } as const;
  const { CreateCertificate } = certificateService({
    authority: new CertificateAuthority({ material }),
    authenticators: [{ name: 'anybody', authenticate: () => Promise.resolve({ kind: 'authenticated', caller }) }],
    trustDomains: () => ({ own: 'cluster.local', aliases: [] }),
  });
  const method: Method | undefined = CreateCertificate;
  if (method?.kind !== 'unary') throw new Error('the method is not there');
  const peer: Pick<CallContext['peer'], 'address' | 'tls' | 'certificate'> = {
    address: '',
    tls: true,
    certificate: undefined,
  };
  const call = { peer, metadata: new Map() } as unknown as CallContext;
  return (request) => Promise.resolve(method.handle(request, call));
}
