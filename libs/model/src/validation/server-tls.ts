import type { ServerTLSMode, ServerTLSSettings } from '../kinds/server-tls.ts';
import { type Issues, quote } from './issues.ts';

/** Suites of Envoy's TLS library, by the names of OpenSSL. */
const CIPHER_SUITES: ReadonlySet<string> = new Set([
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-RSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA',
  'ECDHE-RSA-AES256-SHA',
  'AES128-GCM-SHA256',
  'AES256-GCM-SHA384',
  'AES128-SHA',
  'AES256-SHA',
  'DES-CBC3-SHA',
]);

/** Whether Envoy knows the suite. Expressions that begin with an operator (`-ALL`, `[A|B]`) are taken as they are. */
export function isCipherSuite(suite: string): boolean {
  return suite === '' || suite === 'ALL' || !/^[\p{L}\p{N}]/u.test(suite) || CIPHER_SUITES.has(suite);
}

/** Whether the server forwards TLS as it is, chosen by SNI; so it does if no mode is set. */
export function isPassthrough({ mode = 'PASSTHROUGH' }: ServerTLSSettings): boolean {
  return mode === 'PASSTHROUGH' || mode === 'AUTO_PASSTHROUGH';
}

const CERTIFICATE_FIELDS = [
  'serverCertificate',
  'privateKey',
  'caCertificates',
  'tlsCertificates',
  'credentialName',
  'credentialNames',
] as const satisfies readonly (keyof ServerTLSSettings)[];

const isSet = (tls: ServerTLSSettings, field: keyof ServerTLSSettings): boolean => {
  const value = tls[field];
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
};

export function validateServerTls(issues: Issues, tls: ServerTLSSettings): void {
  const { mode = 'PASSTHROUGH', cipherSuites, minProtocolVersion } = tls;
  issues
    .at('minProtocolVersion')
    .warnIf(
      (minProtocolVersion === 'TLSV1_0' || minProtocolVersion === 'TLSV1_1') && cipherSuites.length === 0,
      'missing-ciphers',
      'below TLSV1_2 the default cipher suites do not work; set cipherSuites that do',
    );
  validateCipherSuites(issues, cipherSuites);

  if (mode === 'ISTIO_MUTUAL') {
    for (const field of CERTIFICATE_FIELDS) {
      const message = 'must not be set with mode ISTIO_MUTUAL, which uses the certificates of the mesh';
      issues.at(field).errorIf(isSet(tls, field), 'conflicting-fields', message);
    }
    return;
  }

  issues.warnIf(
    isPassthrough(tls) && [...CERTIFICATE_FIELDS, 'caCrl' as const].some((field) => isSet(tls, field)),
    'ineffective-field',
    `mode ${mode} uses no certificates; those that are set are ignored`,
  );
  validateCertificateSource(issues, tls, mode);
}

function validateCipherSuites(issues: Issues, suites: readonly string[]): void {
  const seen = new Set<string>();
  issues.each('cipherSuites', suites, (at, suite) => {
    at.warnIf(
      !isCipherSuite(suite),
      'unknown-cipher',
      `${quote(suite)} is not a cipher suite that Envoy knows; it is ignored`,
    );
    at.warnIf(isCipherSuite(suite) && seen.has(suite), 'duplicate-entry', `${quote(suite)} is in the list already`);
    seen.add(suite);
  });
}

/** Certificates come from files, from inline pairs of files or from secrets; only modes that terminate TLS need them. */
function validateCertificateSource(issues: Issues, tls: ServerTLSSettings, mode: ServerTLSMode): void {
  const { serverCertificate = '', privateKey = '', caCertificates = '', tlsCertificates, caCrl = '' } = tls;
  const fromSecret = isSet(tls, 'credentialName') || isSet(tls, 'credentialNames');
  const fromFiles = serverCertificate !== '' && privateKey !== '';
  const lists = (['credentialName', 'credentialNames', 'tlsCertificates'] as const).filter((field) =>
    isSet(tls, field),
  );
  issues.errorIf(
    lists.length + (fromFiles ? 1 : 0) > 1,
    'conflicting-fields',
    'at most one of credentialName, credentialNames, serverCertificate with privateKey, and tlsCertificates may be set',
  );

  const terminates = mode === 'SIMPLE' || mode === 'MUTUAL' || mode === 'OPTIONAL_MUTUAL';
  if (terminates && fromSecret) return;
  if (terminates) {
    issues
      .at('caCertificates')
      .errorIf(
        mode !== 'SIMPLE' && caCertificates === '',
        'required',
        `mode ${mode} needs certificates of the clients' CA`,
      );
    issues
      .at('tlsCertificates')
      .warnIf(tlsCertificates.length > 2, 'too-many', 'at most 2 server certificates are supported');
    if (tlsCertificates.length === 0) validatePair(issues, serverCertificate, privateKey, mode);
    else {
      issues.each('tlsCertificates', tlsCertificates, (at, pair) =>
        validatePair(at, pair.serverCertificate ?? '', pair.privateKey ?? '', mode),
      );
    }
  }
  const crl = issues.at('caCrl');
  crl.errorIf(
    caCrl !== '' && isSet(tls, 'credentialName'),
    'conflicting-fields',
    'with credentialName the CRL belongs in the secret',
  );
  crl.errorIf(
    caCrl !== '' && mode === 'SIMPLE',
    'conflicting-fields',
    'mode SIMPLE checks no client certificates, so it has no CRL',
  );
}

function validatePair(issues: Issues, certificate: string, key: string, mode: ServerTLSMode): void {
  issues.at('serverCertificate').errorIf(certificate === '', 'required', `mode ${mode} needs a server certificate`);
  issues.at('privateKey').errorIf(key === '', 'required', `mode ${mode} needs a private key`);
}
