import type { Config, ConfigMap, Secret } from '@kedge/model';
import { testCertificates } from '@kedge/testbed';

const { authority, edge } = testCertificates;

const valid: Readonly<Record<string, string>> = {
  cert: edge.certificate,
  key: edge.key,
  cacert: authority,
  'tls.crt': edge.certificate,
  'tls.key': edge.key,
  'ca.crt': authority,
};

/** The object with real certificates and keys in the places of any text that scenarios give for them. */
export function withValidCredentials(object: Config): Config {
  if (object.kind === 'Secret') {
    const { data, stringData, ...rest } = object.spec as Secret;
    return { ...object, spec: { ...rest, data: replaced(data, base64), stringData: replaced(stringData) } };
  }
  if (object.kind === 'ConfigMap') {
    const { data, ...rest } = object.spec as ConfigMap;
    return { ...object, spec: { ...rest, data: replaced(data) } };
  }
  return object;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function replaced(
  data: Readonly<Record<string, string>>,
  encoded = (text: string): string => text,
): Readonly<Record<string, string>> {
  const entries = Object.entries(data).map(([key, text]) => {
    const better = valid[key];
    return [key, better !== undefined && text !== '' ? encoded(better) : text] as const;
  });
  return Object.fromEntries(entries);
}
