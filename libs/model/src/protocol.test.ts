import { describe, expect, test } from '@jest/globals';
import { type PortDescription, type Protocol, selectProtocol } from './protocol.ts';

describe('the protocol of a port', () => {
  const rows: readonly (readonly [what: string, port: PortDescription, protocol: Protocol])[] = [
    ['its name', { port: 80, name: 'http' }, 'HTTP'],
    ['the part of its name before a dash', { port: 80, name: 'HTTP2-api' }, 'HTTP2'],
    ['a protocol with a dash in it', { port: 80, name: 'grpc-web-ui' }, 'GRPC-Web'],
    ['nothing', { port: 80, name: 'web' }, 'Unsupported'],
    ['appProtocol before its name', { port: 80, name: 'http', appProtocol: 'tcp' }, 'TCP'],
    ['an unknown appProtocol, whatever its name', { port: 80, name: 'http', appProtocol: 'acme' }, 'Unsupported'],
    ['a standard appProtocol', { port: 80, appProtocol: 'kubernetes.io/h2c' }, 'HTTP2'],
    ['a tunnel, which only the mesh speaks', { port: 15008, appProtocol: 'hbone' }, 'Unsupported'],
    ['UDP, whatever its name', { port: 80, name: 'http', transport: 'UDP' }, 'UDP'],
    ['nothing, where servers speak first', { port: 27017, name: 'db' }, 'TCP'],
    ['a name, also where servers speak first', { port: 3306, name: 'mysql' }, 'MYSQL'],
  ];
  test.each(rows)('follows from %s', (_what, port, protocol) => {
    expect(selectProtocol(port)).toBe(protocol);
  });
});
