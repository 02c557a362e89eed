import { isIPv6 } from 'node:net';

/** Record types (RFC 1035, 3596, 6891). */
export const RecordType = { A: 1, CNAME: 5, AAAA: 28, OPT: 41 } as const;

/** Response codes (RFC 1035). */
export const ResponseCode = { noError: 0, formatError: 1, serverFailure: 2, notImplemented: 4 } as const;
export type ResponseCode = (typeof ResponseCode)[keyof typeof ResponseCode];

/** The largest message over UDP for a client that tells no size of its own (RFC 1035), and for one over TCP. */
const smallestLimit = 512;
export const largestMessage = 65_535;
/** What a datagram over IPv4 carries, whatever the client says it takes. */
const largestDatagram = 65_507;

const headerBytes = 12;
const maxNameBytes = 255;
const flagBit = { response: 0x8000, authoritative: 0x0400, truncated: 0x0200, recursionAvailable: 0x0080 } as const;
/** Opcode and "recursion desired", which an answer repeats. */
const echoedFlags = 0x7900;

/** What is asked, as far as the agent answers it. */
export interface Question {
  /** In lower case without the last dot; undefined for a name with octets that no host name has. */
  readonly name: string | undefined;
  readonly type: number;
  /** 1 is the Internet. */
  readonly class: number;
  /** Size of the message in which it is the only section. */
  readonly end: number;
}

/** A request of a client, or what is wrong with it. */
export type Request =
  | { readonly kind: 'query'; readonly question: Question; readonly edns: boolean; readonly limit: number }
  | { readonly kind: 'refused'; readonly code: ResponseCode }
  /** Not even an error is due: it is no request, and answers to answers would go on forever. */
  | { readonly kind: 'ignored' };

/** Reads a request that may be anything. */
export function readRequest(message: Buffer): Request {
  if (message.length < headerBytes || (message.readUInt16BE(2) & flagBit.response) !== 0) return { kind: 'ignored' };
  if ((message.readUInt16BE(2) & 0x7800) !== 0) return { kind: 'refused', code: ResponseCode.notImplemented };
  const malformed = { kind: 'refused', code: ResponseCode.formatError } as const;
  const question = readQuestion(message);
  if (!question) return malformed;
  const records = [6, 8, 10].reduce((sum, offset) => sum + message.readUInt16BE(offset), 0);
  let offset = question.end;
  let size: number | undefined;
  for (let index = 0; index < records; index++) {
    const name = skipName(message, offset);
    if (name === undefined || name + 10 > message.length) return malformed;
    if (message.readUInt16BE(name) === RecordType.OPT) size = message.readUInt16BE(name + 2);
    offset = name + 10 + message.readUInt16BE(name + 8);
    if (offset > message.length) return malformed;
  }
  const limit = Math.min(Math.max(size ?? 0, smallestLimit), largestDatagram);
  return { kind: 'query', question, edns: size !== undefined, limit };
}

/** The question of a message with exactly one. */
function readQuestion(message: Buffer): Question | undefined {
  if (message.length < headerBytes || message.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let offset = headerBytes;
  for (;;) {
    const length = message[offset];
    // Nothing is before the question that its name could point to.
    if (length === undefined || length > 63) return undefined;
    offset += 1;
    if (length === 0) break;
    labels.push(message.toString('latin1', offset, offset + length));
    offset += length;
    if (offset - headerBytes >= maxNameBytes) return undefined;
  }
  if (offset + 4 > message.length) return undefined;
  const isHostName = labels.every((label) => /^[\w*-]+$/.test(label));
  return {
    name: isHostName ? labels.join('.').toLowerCase() : undefined,
    type: message.readUInt16BE(offset),
    class: message.readUInt16BE(offset + 2),
    end: offset + 4,
  };
}

/** Where the name that starts at the offset ends. */
function skipName(message: Buffer, start: number): number | undefined {
  for (let offset = start; offset < message.length;) {
    const length = message[offset]!;
    if (length === 0) return offset + 1;
    if (length >= 0xc0) return offset + 2;
    if (length > 63) return undefined;
    offset += 1 + length;
  }
  return undefined;
}

/** What the name that was asked for stands for. */
export interface Answer {
  /** The name that it is an alias of. */
  readonly alias?: string;
  readonly addresses: readonly string[];
}

const ttlSeconds = 30;

/** Answers a query with authority; addresses that don't fit into the limit are left out, and the client told so. */
export function writeAnswer(
  request: Buffer,
  { question, edns }: Extract<Request, { kind: 'query' }>,
  { alias, addresses }: Answer,
  limit: number,
): Buffer {
  // The name of the question is at offset 12 and is pointed to.
  const asked = Buffer.from([0xc0, headerBytes]);
  const records: Buffer[] = [];
  let owner: Buffer = asked;
  if (alias !== undefined) {
    // Its data begin behind two octets of name and ten of the rest.
    owner = pointer(question.end + 12);
    records.push(record(asked, RecordType.CNAME, encodeName(alias)));
  }
  for (const address of addresses) records.push(addressRecord(owner, address));
  const trailer = edns ? optRecord : Buffer.alloc(0);
  let room = limit - question.end - trailer.length;
  const fitting = records.filter(({ length }) => (room -= length) >= 0);
  const truncated = fitting.length < records.length ? flagBit.truncated : 0;
  const head = header(request, flagBit.authoritative | truncated, [1, fitting.length, 0, edns ? 1 : 0]);
  return Buffer.concat([head, request.subarray(headerBytes, question.end), ...fitting, trailer]);
}

/** An answer that tells of an error; the question is repeated where there is one. */
export function writeError(request: Buffer, code: ResponseCode, question?: Question): Buffer {
  const body = question ? request.subarray(headerBytes, question.end) : Buffer.alloc(0);
  return Buffer.concat([header(request, code, [question ? 1 : 0, 0, 0, 0]), body]);
}

/** The answer of another server, cut to its question where it is too long for the client, which is told so. */
export function fitAnswer(answer: Buffer, limit: number): Buffer {
  if (answer.length <= limit) return answer;
  const end = readQuestion(answer)?.end ?? headerBytes;
  const cut = Buffer.from(answer.subarray(0, end));
  cut.writeUInt16BE(cut.readUInt16BE(2) | flagBit.truncated, 2);
  [end > headerBytes ? 1 : 0, 0, 0, 0].forEach((count, index) => cut.writeUInt16BE(count, 4 + 2 * index));
  return cut;
}

/** Whether a message answers the request: same ID, and the same question where it repeats it. */
export function isAnswerTo(message: Buffer, request: Buffer): boolean {
  if (message.length < headerBytes || (message.readUInt16BE(2) & flagBit.response) === 0) return false;
  if (message.readUInt16BE(0) !== request.readUInt16BE(0)) return false;
  if (message.readUInt16BE(4) === 0) return true;
  const [given, asked] = [readQuestion(message), readQuestion(request)];
  return given !== undefined && given.name === asked?.name && given.type === asked?.type;
}

function header(request: Buffer, flags: number, counts: readonly number[]): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  request.copy(bytes, 0, 0, 2);
  const echoed = request.readUInt16BE(2) & echoedFlags;
  bytes.writeUInt16BE(flagBit.response | flagBit.recursionAvailable | echoed | flags, 2);
  counts.forEach((count, index) => bytes.writeUInt16BE(count, 4 + 2 * index));
  return bytes;
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttlSeconds, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function addressRecord(owner: Buffer, address: string): Buffer {
  return isIPv6(address)
    ? record(owner, RecordType.AAAA, ipv6Bytes(address))
    : record(owner, RecordType.A, Buffer.from(address.split('.').map(Number)));
}

/** The sixteen octets of an IPv6 address in any of its forms. */
function ipv6Bytes(address: string): Buffer {
  // URL writes it with hexadecimal groups alone.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text = ''): string[] => text.split(':').filter(Boolean);
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Array<string>(8 - first.length - last.length).fill('0');
  const bytes = Buffer.alloc(16);
  [...first, ...zeros, ...last].forEach((group, index) => bytes.writeUInt16BE(parseInt(group, 16), 2 * index));
  return bytes;
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter(Boolean);
  const encoded = labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]));
  return Buffer.concat([...encoded, Buffer.from([0])]);
}

function pointer(offset: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(0xc000 | offset);
  return bytes;
}

/** Root name, OPT, and the size of messages that the agent takes; no flags, no options. */
const optRecord = Buffer.from([0, 0, RecordType.OPT, 0x10, 0, 0, 0, 0, 0, 0, 0]);
