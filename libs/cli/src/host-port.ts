import { type HostPort, parseHostPort } from '@kedge/observability';
import { InvalidArgumentError } from 'commander';

/** Reads the value of a flag that is an address to listen at. */
export function hostPort(text: string): HostPort {
  const parsed = parseHostPort(text);
  if (!parsed) throw new InvalidArgumentError('must be HOST:PORT or :PORT');
  return parsed;
}
