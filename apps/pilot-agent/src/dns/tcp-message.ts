/** A message as it goes over TCP: behind its length (RFC 1035, 4.2.2). */
export function writeMessage(message: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(message.length);
  return Buffer.concat([length, message]);
}

/** Puts the messages of a TCP connection together. */
export class MessageReader {
  readonly #onMessage: (message: Buffer) => void;
  #pending = Buffer.alloc(0);

  constructor(onMessage: (message: Buffer) => void) {
    this.#onMessage = onMessage;
  }

  push(chunk: Buffer): void {
    let rest = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    while (rest.length >= 2) {
      const end = 2 + rest.readUInt16BE(0);
      if (rest.length < end) break;
      this.#onMessage(rest.subarray(2, end));
      rest = rest.subarray(end);
    }
    this.#pending = Buffer.from(rest);
  }
}
