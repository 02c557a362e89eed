import { type HostPort, parseHostPort } from '@kedge/observability';
import { InvalidArgumentError, Option } from 'commander';

/** Reads the value of a flag that is an address to listen at. */
export function hostPort(text: string): HostPort {
  const parsed = parseHostPort(text);
  if (!parsed) throw new InvalidArgumentError('must be HOST:PORT or :PORT');
  return parsed;
}

/** A flag that is an address to listen at; the help shows the default as it is written. */
export function hostPortOption(flags: string, description: string, address: string): Option {
  return new Option(flags, description).argParser(hostPort).default(hostPort(address), address);
}
