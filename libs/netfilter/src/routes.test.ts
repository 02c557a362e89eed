import { expect, test } from '@jest/globals';
import type { Run } from './command.ts';
import { addRoutes, ambientPodRoutes, removeRoutes, sidecarRoutes } from './routes.ts';
import { defaultHostProbeAddress } from './ambient/options.ts';
import { defaultSidecarSettings, parseSidecarSettings, type SidecarSettings } from './sidecar/settings.ts';

function routes(given: Partial<SidecarSettings>) {
  const result = parseSidecarSettings({ ...defaultSidecarSettings, ...given });
  if (!result.ok) throw new Error(result.problems.join('; '));
  return sidecarRoutes(result.options);
}

async function commands(act: (run: Run) => Promise<void>, stderr = ''): Promise<readonly string[]> {
  const lines: string[] = [];
  await act(({ program, args }) => {
    lines.push([program, ...args].join(' '));
    return Promise.resolve({ code: stderr === '' ? 0 : 2, stdout: '', stderr });
  });
  return lines;
}

const tproxy = { inboundInterceptionMode: 'TPROXY', inboundPortsInclude: '*' };

test.each<[string, Partial<SidecarSettings>, readonly string[]]>([
  ['IPv4', { inboundPortsInclude: '*' }, []],
  ['IPv6', { enableIpv6: true }, ['ip -6 address add ::6/128 dev lo']],
  [
    'TPROXY',
    tproxy,
    ['ip -4 rule add pref 32764 fwmark 1337 lookup 133', 'ip -4 route add local 0.0.0.0/0 dev lo table 133'],
  ],
  ['TPROXY of no port', { ...tproxy, inboundPortsInclude: '' }, []],
])('%s', async (_, given, expected) => {
  expect(await commands((run) => addRoutes(run, routes(given)))).toEqual(expected);
});

test('what is there already is no error, other failures are', async () => {
  const add = (stderr: string) => commands((run) => addRoutes(run, routes(tproxy)), stderr);
  expect(await add('RTNETLINK answers: File exists')).toHaveLength(2);
  await expect(add('Operation not permitted')).rejects.toThrow('Operation not permitted');
  expect(await commands((run) => removeRoutes(run, routes(tproxy)), 'No such process')).toHaveLength(2);
});

test('ambient mode', async () => {
  const options = { enableIpv6: true, redirectDns: true, hostProbeAddress: defaultHostProbeAddress };
  expect(await commands((run) => removeRoutes(run, ambientPodRoutes(options)))).toEqual([
    'ip -4 rule del pref 32764 fwmark 0x111/0xfff lookup 100',
    'ip -4 route del local 0.0.0.0/0 dev lo table 100',
    'ip -6 rule del pref 32764 fwmark 0x111/0xfff lookup 100',
    'ip -6 route del local ::/0 dev lo table 100',
  ]);
});
