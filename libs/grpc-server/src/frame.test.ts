import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BufferPool } from './buffer-pool.ts';
import { FrameParser, frameMessage, prefixBytes } from './frame.ts';
import { Status } from './status.ts';
import { bytes } from './test-support.ts';

const parserOf = (maxBytes: number): FrameParser => new FrameParser(maxBytes, new BufferPool());

const frame = (body: Uint8Array, flags = 0): Buffer => {
  const head = Buffer.alloc(prefixBytes);
  head[0] = flags;
  head.writeUInt32BE(body.length, 1);
  return Buffer.concat([head, body]);
};

function takeAll(parser: FrameParser): Uint8Array[] {
  return Array.from(
    (function* () {
      for (let next = parser.next(); next !== undefined; next = parser.next()) yield Buffer.from(next.body);
    })(),
  );
}

function split(data: Buffer, cuts: readonly number[]): Buffer[] {
  const points = [...new Set(cuts.map((cut) => cut % (data.length + 1)))].sort((a, b) => a - b);
  return [0, ...points].map((start, index) => data.subarray(start, points[index] ?? data.length));
}

describe('frameMessage', () => {
  test('what is written is what a parser reads, however the message is chunked', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 1500 }), { maxLength: 5 }), (chunks) => {
        const wire = Buffer.concat(frameMessage(chunks));
        expect(wire.equals(frame(Buffer.concat(chunks)))).toBe(true);
      }),
    );
  });

  test('chunks are passed on by reference, runs of tiny ones are joined', () => {
    const [large, larger] = [new Uint8Array(3000), new Uint8Array(4000)];
    const tiny = bytes('tiny');
    const framed = frameMessage([tiny, large, larger, tiny, new Uint8Array(0), tiny]);
    expect(framed.map(({ length }) => length)).toEqual([prefixBytes + 4, 3000, 4000, 8]);
    expect(framed[1]).toBe(large);
    expect(framed[2]).toBe(larger);
  });
});

describe('FrameParser', () => {
  test('messages come out whole and in order, wherever the stream is split and whenever they are taken', () => {
    const messages = fc.array(fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ maxLength: 200_000 })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(messages, fc.array(fc.nat(2_000_000), { maxLength: 30 }), fc.infiniteStream(fc.boolean()), run),
      { numRuns: 300 },
    );
    function run(bodies: Uint8Array[], cuts: number[], takes: Iterator<boolean>): void {
      const parser = parserOf(1_000_000);
      const taken: Uint8Array[] = [];
      for (const chunk of split(Buffer.concat(bodies.map((body) => frame(body))), cuts)) {
        parser.push(chunk);
        if (takes.next().value === true) taken.push(...takeAll(parser));
      }
      taken.push(...takeAll(parser));
      expect(taken.map((body) => Buffer.from(body).toString('hex'))).toEqual(
        bodies.map((body) => Buffer.from(body).toString('hex')),
      );
      expect(parser.partial).toBe(false);
    }
  });

  test('a message within one chunk is a view of it', () => {
    const chunk = frame(Buffer.from('hello'));
    const parser = parserOf(100);
    parser.push(chunk);
    expect(parser.next()?.body.buffer).toBe(chunk.buffer);
  });

  test('a message in pieces takes the buffer that the one before it had', () => {
    const parser = parserOf(1_000_000);
    const buffers = [1, 2].map((fill) => {
      const wire = frame(Buffer.alloc(100_000, fill));
      parser.push(wire.subarray(0, 10));
      expect(parser.next()).toBeUndefined();
      parser.push(wire.subarray(10));
      const body = parser.next()?.body;
      expect(body?.every((byte) => byte === fill)).toBe(true);
      expect(parser.next()).toBeUndefined();
      return body?.buffer;
    });
    expect(buffers[1]).toBe(buffers[0]);
  });

  test('single bytes of a large message cost time in proportion to its size', () => {
    const wire = frame(Buffer.alloc(2_000_000, 7));
    const parser = parserOf(2_000_000);
    const startedAt = performance.now();
    for (let i = 0; i < wire.length - 1; i++) {
      parser.push(wire.subarray(i, i + 1));
      if (parser.next() !== undefined) throw new Error('a message came too early');
    }
    parser.push(wire.subarray(-1));
    expect(parser.next()?.body.length).toBe(2_000_000);
    // Copying what was received at each byte would be 2 TB.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('an announced length reserves no memory before the bytes arrive', () => {
    const before = process.memoryUsage().arrayBuffers;
    const parsers = Array.from({ length: 200 }, () => {
      const parser = parserOf(1 << 30);
      parser.push(frame(Buffer.alloc(0)).fill(0x10, 1, 5));
      parser.push(Buffer.alloc(10));
      parser.next();
      return parser;
    });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(parsers.length * 128 * 1024);
  });

  test.each([
    ['one byte too long', frame(Buffer.alloc(101)), Status.RESOURCE_EXHAUSTED],
    ['of 4 GiB', Buffer.from([0, 255, 255, 255, 255]), Status.RESOURCE_EXHAUSTED],
    ['with unknown flags', frame(Buffer.alloc(1), 2), Status.INTERNAL],
  ])('a message %s is an error', (_, wire, code) => {
    const parser = parserOf(100);
    parser.push(wire);
    expect(() => parser.next()).toThrow(expect.objectContaining({ code }));
  });
});
