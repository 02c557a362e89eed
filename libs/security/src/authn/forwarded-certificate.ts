import { BlockList, isIP } from 'node:net';
import {
  absent,
  type Authentication,
  type AuthenticationRequest,
  type Authenticator,
  refused,
} from './authenticator.ts';
import { knownByUri, type UriOptions } from './known-by-uri.ts';

export interface ForwardedCertificateOptions extends UriOptions {
  /** CIDRs of gateways that verify clients and say of whom the certificate is; loopback is always among them. */
  readonly trustedGateways: readonly string[];
}

const loopback = ['127.0.0.0/8', '::1/128'];
const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/**
 * Knows callers by what a gateway says of their certificate in `x-forwarded-client-cert`. Of several elements the last counts:
 * it is of who called the gateway, and those before are what that caller said.
 */
export class ForwardedCertificateAuthenticator implements Authenticator {
  readonly name = 'XfccAuthenticator';
  readonly #options: ForwardedCertificateOptions;
  readonly #gateways = new BlockList();

  constructor(options: ForwardedCertificateOptions) {
    this.#options = options;
    for (const cidr of [...loopback, ...options.trustedGateways]) {
      const [network = '', bits] = cidr.split('/');
      this.#gateways.addSubnet(network, Number(bits), familyOf(network));
    }
  }

  authenticate({ address, metadata }: AuthenticationRequest): Promise<Authentication> {
    return Promise.resolve(this.#identify(address, metadata.get('x-forwarded-client-cert')));
  }

  #identify(address: string, header: string | undefined): Authentication {
    if (!header) return absent('no certificate is forwarded');
    const host = address.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
    if (isIP(host) === 0 || !this.#gateways.check(host, familyOf(host))) {
      return refused('certificates are not forwarded from this address');
    }
    const elements = parseForwardedCertificates(header);
    const last = elements?.at(-1);
    if (!last) return refused('the forwarded certificate cannot be read');
    return knownByUri(
      last.flatMap(([key, value]) => (key.toLowerCase() === 'uri' ? [value] : [])),
      this.#options,
    );
  }
}

type Element = readonly (readonly [key: string, value: string])[];

/** A key and its value, which is quoted where it has a comma, an equals sign or a semicolon, and what ends it. */
const pair = /([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^",;=]*))(;|,|$)/y;

/**
 * Takes the header apart; undefined where it isn't of its form.
 * https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers#x-forwarded-client-cert
 */
function parseForwardedCertificates(header: string): readonly Element[] | undefined {
  const elements: [string, string][][] = [[]];
  let end: string | undefined;
  for (pair.lastIndex = 0; end !== '';) {
    const found = pair.exec(header);
    if (!found) return undefined;
    const [, key = '', quoted, plain = ''] = found;
    elements.at(-1)!.push([key, quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1')]);
    end = found[4];
    if (end === ',') elements.push([]);
  }
  return elements;
}
