/** Kubernetes' notation of quantities. */
const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?$/;

export const isQuantity = (text: string): boolean => QUANTITY.test(text);

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];

/** The notation with the largest unit that has no fraction, as the API server prints it. What is no quantity stays what it is. */
export function canonicalQuantity(text: string): string {
  const [, digits, unit = ''] = QUANTITY.exec(text) ?? [];
  if (digits === undefined || digits.includes('.') || /^[eE]./.test(unit)) return text;
  const [units, base] = unit.endsWith('i') ? [BINARY, 1024n] : [DECIMAL, 1000n];
  let amount = BigInt(digits);
  let index = units.indexOf(unit);
  if (amount === 0n) return '0';
  while (amount % base === 0n && index + 1 < units.length) {
    amount /= base;
    index += 1;
  }
  return `${amount}${units[index]}`;
}
