/** Marks and ports that ztunnel knows too. */

/** On packets that ztunnel sends. */
export const ztunnelMark = '0x539';
/** On connections that ztunnel opened, so that their answers find back to it. */
export const connectionMarkOfZtunnel = 0x111;
export const markMask = 0xfff;

export const ports = { outbound: '15001', inboundPlaintext: '15006', inboundTunnel: '15008', dns: '15053' } as const;

export const hex = (value: number): string => `0x${value.toString(16)}`;
