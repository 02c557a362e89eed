/** A block of a PEM file. */
export interface PemBlock {
  readonly label: string;
  readonly der: Buffer;
}

const blocks = /-----BEGIN ([A-Z0-9 ]+)-----\s*([A-Za-z0-9+/=\s]*?)-----END \1-----/g;

/** The blocks of a text, in order; what stands between them is left out, as is usual. */
export function pemBlocks(text: string): readonly PemBlock[] {
  return Array.from(text.matchAll(blocks), ([, label = '', body = '']) => ({
    label,
    der: Buffer.from(body, 'base64'),
  }));
}

export function toPem(label: string, der: Uint8Array): string {
  const base64 = Buffer.from(der.buffer, der.byteOffset, der.length).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
