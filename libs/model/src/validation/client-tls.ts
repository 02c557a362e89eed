import type { ClientTLSSettings } from '../kinds/client-tls.ts';
import type { Issues } from './issues.ts';

/** TLS towards a destination, for an object of a namespace. */
export function validateClientTls(issues: Issues, tls: ClientTLSSettings, namespace: string): void {
  const { mode = 'DISABLE', clientCertificate = '', privateKey = '', caCertificates = '', caCrl = '' } = tls;
  const { credentialName = '', subjectAltNames, insecureSkipVerify = false } = tls;
  const originates = mode === 'SIMPLE' || mode === 'MUTUAL';

  if (credentialName.startsWith(CONFIG_MAP)) validateConfigMap(issues.at('credentialName'), credentialName, namespace);
  if (insecureSkipVerify && originates) {
    const verifies =
      caCertificates !== '' || subjectAltNames.length > 0 || (mode === 'SIMPLE' && credentialName !== '');
    const fields =
      mode === 'SIMPLE' ? 'caCertificates, credentialName and subjectAltNames' : 'caCertificates and subjectAltNames';
    issues.errorIf(verifies, 'conflicting-fields', `${fields} have no use where insecureSkipVerify is true`);
  }
  if (originates && credentialName !== '') {
    issues.errorIf(
      [clientCertificate, privateKey, caCertificates, caCrl].some(Boolean),
      'conflicting-fields',
      'with credentialName, certificates, key and CRL come from the secret and must not be set as files',
    );
  } else if (mode === 'MUTUAL') {
    issues
      .at('clientCertificate')
      .errorIf(clientCertificate === '', 'required', 'mode MUTUAL needs a client certificate');
    issues.at('privateKey').errorIf(privateKey === '', 'required', 'mode MUTUAL needs a private key');
  }
}

const CONFIG_MAP = 'configmap://';

function validateConfigMap(issues: Issues, credentialName: string, namespace: string): void {
  const [of = '', name = ''] = credentialName.slice(CONFIG_MAP.length).split('/');
  if (of === '' || name === '') issues.error('invalid-credential', `must be ${CONFIG_MAP}NAMESPACE/NAME`);
  else
    issues.errorIf(of !== namespace, 'invalid-credential', 'a ConfigMap must be in the namespace of the object itself');
}
