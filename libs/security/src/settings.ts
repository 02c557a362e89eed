import { isIP } from 'node:net';
import { parseDuration } from '@kedge/model';
import type { JwtRule } from './authn/jwt-rule.ts';
import { parseJwtRule } from './authn/jwt-rule.ts';
import { messageOf } from './error-code.ts';
import { parseNodeAccounts, type ServiceAccountName } from './service/node-authorizer.ts';

/** What the environment says about the certificate authority and about who is authenticated. Times are in milliseconds. */
export interface SecuritySettings {
  readonly enableCa: boolean;
  readonly pluggedInFolder: string;
  /** Whether the Secret `cacerts` is for a self-signed authority too, where it has none of an operator's. */
  readonly selfSignedInCacerts: boolean;
  /** Whether the Secret `cacerts` is read where the folder has no authority. */
  readonly remoteCacerts: boolean;
  readonly defaultTtl: number;
  readonly maximumTtl: number;
  readonly selfSignedTtl: number;
  readonly selfSignedRsaBits: number;
  readonly rootCheckInterval: number;
  /** The part of a root's life, between 0 and 1, in which it is renewed. */
  readonly rootGrace: number;
  readonly rootJitter: boolean;
  readonly jwtRule: JwtRule | undefined;
  /** Audiences of the tokens of Kubernetes. */
  readonly tokenAudiences: readonly string[];
  readonly trustedNodeAccounts: readonly ServiceAccountName[];
  /** What the ConfigMaps with roots and revocations are called in each namespace. */
  readonly rootsConfigMap: string;
  readonly revocationsConfigMap: string;
  /** Whether revocations are of concern. */
  readonly revocations: boolean;
  /** CIDRs of gateways that say whose certificate they verified; nobody is believed that where there are none. */
  readonly trustedGateways: readonly string[];
  /** Who signs in the authority's place; empty for nobody. */
  readonly externalCa: string;
  /** CIDRs that keys aren't fetched from. */
  readonly blockedCidrs: readonly string[];
  /** Whether servers of keys may have any certificate. */
  readonly insecureJwks: boolean;
  /** Milliseconds after which the keys of RequestAuthentications are fetched anew. */
  readonly jwksRefreshInterval: number;
  readonly authenticateXds: boolean;
  /** Whether clients in plain text prove who they are too, for networks where nobody else reads their tokens. */
  readonly authenticatePlainText: boolean;
  readonly checkXdsIdentity: boolean;
  readonly anyTrustDomain: boolean;
}

export interface ParsedSettings {
  readonly settings: SecuritySettings;
  /** What could not be read, in plain words; the default is in effect there. */
  readonly problems: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings from an environment; names and defaults of the variables are Istio's. */
export function parseSecuritySettings(environment: Environment): ParsedSettings {
  const problems: string[] = [];
  const value = <T>(name: string, fallback: T, read: (text: string) => T | undefined): T => {
    const given = environment[name];
    if (given === undefined || given === '') return fallback;
    try {
      const found = read(given);
      if (found !== undefined) return found;
      problems.push(`${name}: cannot read "${given}", using the default`);
    } catch (error) {
      problems.push(`${name}: ${messageOf(error)}`);
    }
    return fallback;
  };
  const duration = (name: string, fallback: string): number => value(name, parseDuration(fallback)!, parseDuration);
  const bool = (name: string, fallback: boolean): boolean => value(name, fallback, readBoolean);
  const number = (name: string, fallback: number): number => value(name, fallback, readNumber);
  const cidrs = (name: string): readonly string[] =>
    value(name, [], (text) => {
      const [good, others] = partition(list(text), isCidr);
      problems.push(...others.map((other) => `${name}: "${other}" is no CIDR`));
      return good;
    });
  const settings: SecuritySettings = {
    enableCa: bool('ENABLE_CA_SERVER', true),
    pluggedInFolder: environment['ROOT_CA_DIR'] || './etc/cacerts',
    selfSignedInCacerts: bool('USE_CACERTS_FOR_SELF_SIGNED_CA', false),
    remoteCacerts: bool('USE_REMOTE_CERTS', false),
    defaultTtl: duration('DEFAULT_WORKLOAD_CERT_TTL', '24h'),
    maximumTtl: duration('MAX_WORKLOAD_CERT_TTL', '2160h'),
    selfSignedTtl: duration('CITADEL_SELF_SIGNED_CA_CERT_TTL', '87600h'),
    selfSignedRsaBits: number('CITADEL_SELF_SIGNED_CA_RSA_KEY_SIZE', 2048),
    rootCheckInterval: duration('CITADEL_SELF_SIGNED_ROOT_CERT_CHECK_INTERVAL', '1h'),
    rootGrace: number('CITADEL_SELF_SIGNED_ROOT_CERT_GRACE_PERIOD_PERCENTILE', 20) / 100,
    rootJitter: bool('CITADEL_ENABLE_JITTER_FOR_ROOT_CERT_ROTATOR', true),
    jwtRule: value('JWT_RULE', undefined, parseJwtRule) ?? issuerRule(environment),
    tokenAudiences: value('TOKEN_AUDIENCES', ['istio-ca'], list),
    trustedNodeAccounts: value('CA_TRUSTED_NODE_ACCOUNTS', [], (text) => {
      const { accounts, problems: found } = parseNodeAccounts(text);
      problems.push(...found.map((problem) => `CA_TRUSTED_NODE_ACCOUNTS: ${problem}`));
      return accounts;
    }),
    rootsConfigMap: environment['PILOT_CA_CERT_CONFIGMAP'] || 'istio-ca-root-cert',
    revocationsConfigMap: environment['PILOT_CRL_CONFIGMAP'] || 'istio-ca-crl',
    revocations: bool('PILOT_ENABLE_CA_CRL', true),
    trustedGateways: cidrs('TRUSTED_GATEWAY_CIDR'),
    externalCa: environment['EXTERNAL_CA'] ?? '',
    blockedCidrs: cidrs('BLOCKED_CIDRS_IN_JWKS_URIS'),
    insecureJwks: bool('JWKS_RESOLVER_INSECURE_SKIP_VERIFY', false),
    jwksRefreshInterval: duration('PILOT_JWT_PUB_KEY_REFRESH_INTERVAL', '20m'),
    authenticateXds: bool('XDS_AUTH', true),
    authenticatePlainText: bool('XDS_AUTH_PLAINTEXT', false),
    checkXdsIdentity: bool('PILOT_ENABLE_XDS_IDENTITY_CHECK', true),
    anyTrustDomain: bool('PILOT_SKIP_VALIDATE_TRUST_DOMAIN', false),
  };
  return { settings, problems };
}

/** An issuer that names its keys by discovery. */
function issuerRule(environment: Environment): JwtRule | undefined {
  const { TOKEN_ISSUER: issuer, AUDIENCE: audience } = environment;
  return issuer ? { issuer, audiences: audience ? [audience] : ['istio-ca'] } : undefined;
}

const list = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

function partition<T>(values: readonly T[], holds: (value: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [values.filter(holds), values.filter((value) => !holds(value))];
}

function isCidr(text: string): boolean {
  const [network = '', bits = '', ...rest] = text.split('/');
  return rest.length === 0 && /^\d+$/.test(bits) && Number(bits) <= ({ 4: 32, 6: 128 }[isIP(network)] ?? -1);
}

const readBoolean = (text: string): boolean | undefined =>
  /^(1|t|true)$/i.test(text) ? true : /^(0|f|false)$/i.test(text) ? false : undefined;

const readNumber = (text: string): number | undefined =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
