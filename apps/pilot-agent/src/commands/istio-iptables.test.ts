import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { createProgram, runProgram } from '@kedge/cli';
import { addRedirectionCommands } from './istio-iptables.ts';

async function run(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const program = createProgram({ name: 'pilot-agent', description: '' });
  let output = '';
  addRedirectionCommands(program, environment, {
    host: () =>
      Promise.resolve({ interfaces: { eth0: [{ address: '10.0.0.7', internal: false }] }, users: '', resolvConf: '' }),
    write: (text) => (output += text),
  });
  const errors: string[] = [];
  const code = await runProgram(program, [...args, '--log_output_level', 'default:none'], (text) => errors.push(text));
  return { code, output, error: errors.join('') };
}

describe('dry run', () => {
  test('prints queries and transactions, and writes them to a file', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'dry-run-'));
    try {
      const file = join(dir, 'output');
      const { code, output } = await run(['istio-iptables', '-n', '-b', '80'], { DRY_RUN_FILE_PATH: file });
      expect(code).toBe(0);
      expect(output).toMatch(/^iptables-save\nip6tables-save\n\* nat\n-N ISTIO_INBOUND\n[^]*COMMIT\niptables-save\n/);
      expect(output).toContain('-A ISTIO_INBOUND -p tcp --dport 80 -j ISTIO_IN_REDIRECT\n');
      expect(readFileSync(file, 'utf8')).toBe(output);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  test('short flags take their values behind an equals sign, too', async () => {
    const args = ['istio-iptables', '-n=true', '-b=80', '-u=7', '-g=8'];
    const { output } = await run(args);
    expect(output).toBe((await run(['istio-iptables', '-n', '-b', '80', '-u', '7', '-g', '8'])).output);
    expect(output).toContain('--uid-owner 7 -j RETURN\n');
  });

  test('of nft is the transaction', async () => {
    const { output } = await run(['istio-iptables', '-n', '--native-nftables']);
    expect(output).toMatch(/^add table inet istio-proxy-nat\nflush table inet istio-proxy-nat\n/);
  });

  test('of clean-up shows how rules go', async () => {
    const { output } = await run(['istio-clean-iptables', '-n', '-b', '*']);
    expect(output).toMatch(
      /\* nat\n-D PREROUTING -p tcp -j ISTIO_INBOUND\n-D OUTPUT -j ISTIO_OUTPUT\n-F ISTIO_INBOUND\n/,
    );
    const nft = await run(['istio-iptables', '--cleanup-only', '-n', '--native-nftables']);
    expect(nft.output).toMatch(/^add table inet istio-proxy-nat\ndelete table inet istio-proxy-nat\n/);
  });

  test('a variant of iptables that there is not', async () => {
    const { code, error } = await run(['istio-iptables', '-n', '--force-iptables-binary', 'ebpf']);
    expect({ code, error }).toEqual({
      code: 1,
      error: 'Error: invalid FORCE_IPTABLES_BINARY value "ebpf": it is legacy or nft\n',
    });
  });

  test('bad options are one line', async () => {
    const { code, error } = await run(['istio-iptables', '-n', '-b', 'http', '-c', 'a b']);
    expect({ code, error }).toEqual({
      code: 1,
      error: 'Error: inbound port "http" is not valid; excluded interface "a b" is not valid\n',
    });
  });
});
