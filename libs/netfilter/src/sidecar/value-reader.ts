import type { Range } from './options.ts';
import { parseRange } from './range.ts';

/**
 * Reads values out of texts and collects what is wrong with them. Everything that goes into a rule is checked, for a rule is
 * text that root runs.
 */
export class ValueReader {
  readonly problems: string[] = [];

  problem(text: string | undefined): void {
    if (text !== undefined) this.problems.push(text);
  }

  /** Ports, or ranges of them such as 8000:8010. */
  ports(what: string, list: string): readonly string[] {
    const ports = this.#each(what, splitList(list), /^\d{1,5}(:\d{1,5})?$/);
    const beyond = ports.find((range) => range.split(':').some((port) => Number(port) > 65535));
    if (beyond !== undefined) this.problem(`${what} "${beyond}" goes beyond 65535`);
    return ports;
  }

  port(what: string, text: string): string {
    if (Number(text) > 65535) this.problem(`${what} "${text}" goes beyond 65535`);
    return this.#one(what, text, /^\d+$/);
  }

  /** Users or groups, by number or name. */
  ids(what: string, list: string): readonly string[] {
    return this.#each(what, splitList(list), /^[\w.-]+\$?$/);
  }

  /** Names of interfaces; a trailing `+` stands for any that begin so. */
  interfaces(what: string, list: string): readonly string[] {
    return this.#each(what, splitList(list), /^[\w.:@-]{1,15}\+?$/);
  }

  ranges(what: string, list: string): readonly Range[] {
    return splitList(list).flatMap((text) => {
      const range = parseRange(text);
      if (range === undefined) this.problem(`${what} "${text}" is not an address range such as 10.0.0.0/8`);
      return range ?? [];
    });
  }

  /** A mark or the number of a table. */
  number(what: string, text: string): string {
    return this.#one(what, text, /^(\d+|0x[\da-f]+)$/i);
  }

  #one(what: string, text: string, pattern: RegExp): string {
    if (!pattern.test(text)) this.problem(`${what} "${text}" is not valid`);
    return text;
  }

  #each(what: string, texts: readonly string[], pattern: RegExp): readonly string[] {
    return texts.map((text) => this.#one(what, text, pattern));
  }
}

/** The parts of a list that commas separate, without empty ones. */
function splitList(list: string): readonly string[] {
  return list
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
