import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BootstrapOptions } from '../bootstrap/bootstrap.ts';
import type { ProxyFacts } from '../describe-proxy.ts';
import { filesIn } from '../identity/credential-files.ts';
import type { Companion } from './companion.ts';
import { grpcBootstrap } from './grpc-bootstrap.ts';

/**
 * An application that speaks xDS itself by gRPC, and so needs no Envoy (DISABLE_ENVOY): it finds a bootstrap at
 * GRPC_XDS_BOOTSTRAP, and its certificate in OUTPUT_CERTS. It may come later, so the bootstrap stays.
 */
export async function grpcCompanion(
  { environment }: Pick<ProxyFacts, 'environment'>,
  description: Omit<BootstrapOptions, 'missingExtensions'>,
): Promise<Companion> {
  const { grpcBootstrap: path, outputCertificates: folder } = environment;
  const needed = [path, ...(folder ? Object.values(filesIn(folder)) : [])];
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, JSON.stringify(grpcBootstrap(description, folder), undefined, 2));
  await rename(`${path}.new`, path);
  return {
    notReadyReason: async () => {
      const missing = needed.find((file) => !existsSync(file));
      return missing === undefined ? undefined : `${missing} is not there yet`;
    },
    // The application's own server is the one that has clients.
    drain: () => undefined,
    run: async (terminate) => {
      if (!terminate.aborted) await once(terminate, 'abort');
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
