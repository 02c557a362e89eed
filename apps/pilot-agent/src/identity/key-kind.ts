import type { KeyAlgorithm, KeyOptions } from '@kedge/security';

export interface KeySettings {
  /** ECC_SIGNATURE_ALGORITHM: only `ECDSA` is known. */
  readonly eccSignatureAlgorithm: string;
  /** ECC_CURVE. */
  readonly eccCurve: string;
  /** WORKLOAD_RSA_KEY_SIZE; undefined if it isn't set. */
  readonly rsaBits: number | undefined;
}

const curves: Readonly<Record<string, KeyAlgorithm>> = { P256: 'P-256', P384: 'P-384' };

/**
 * The kind of the workload's key: on a curve, which is cheaper than RSA to make and to use, unless a size for RSA is given
 * and no algorithm for curves.
 * @throws Error naming the variable whose value is unknown.
 */
export function keyKind({ eccSignatureAlgorithm, eccCurve, rsaBits }: KeySettings): KeyOptions {
  if (eccSignatureAlgorithm === '' && rsaBits !== undefined) return { algorithm: 'RSA', rsaBits };
  if (!/^(ECDSA)?$/.test(eccSignatureAlgorithm)) {
    throw new Error(`ECC_SIGNATURE_ALGORITHM: "${eccSignatureAlgorithm}" is not ECDSA`);
  }
  const algorithm = curves[eccCurve];
  if (!algorithm) throw new Error(`ECC_CURVE: "${eccCurve}" is none of ${Object.keys(curves).join(', ')}`);
  return { algorithm };
}
