import { generateKeyPairSync, sign } from 'node:crypto';

const issuer = 'https://issuer.testbed';
const audience = 'istio-ca';
const keyId = 'one';

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Stands in for the cluster that gives service accounts their tokens. */
export class TokenIssuer {
  readonly #pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  /** Value of the variable JWT_RULE by which a control plane takes these tokens. */
  get jwtRule(): string {
    const key = { ...this.#pair.publicKey.export({ format: 'jwk' }), kid: keyId, alg: 'ES256' };
    return JSON.stringify({ issuer, audiences: [audience], jwks: JSON.stringify({ keys: [key] }) });
  }

  /** A token for an hour. */
  token(namespace: string, serviceAccount: string): string {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: audience, iat: now, exp: now + 3600 };
    const sub = `system:serviceaccount:${namespace}:${serviceAccount}`;
    const text = `${encoded({ alg: 'ES256', kid: keyId })}.${encoded({ ...claims, sub })}`;
    const key = { key: this.#pair.privateKey, dsaEncoding: 'ieee-p1363' } as const;
    return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`;
  }
}
