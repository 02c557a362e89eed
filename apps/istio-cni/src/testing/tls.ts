import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { TemporaryFolder } from './temporary-folder.ts';

/** A certificate of 127.0.0.1, which is its own authority. */
export function loopbackCertificate(): { readonly cert: string; readonly key: string } {
  using folder = new TemporaryFolder();
  const [key, cert] = [folder.at('key.pem'), folder.at('cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const names = ['-subj', '/CN=api', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', cert], { stdio: 'pipe' });
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
