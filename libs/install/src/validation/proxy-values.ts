import type { JsonObject } from '@kedge/model';
import { isIP } from 'node:net';
import { textAt } from '../tree.ts';

type Check = (value: string) => string | undefined;

const CHECKS: Readonly<Record<string, Check>> = {
  includeIPRanges: rangeProblem,
  excludeIPRanges: rangeProblem,
  includeInboundPorts: portProblem,
  excludeInboundPorts: portProblem,
};

/** What is wrong with the lists of `values.global.proxy` that say which traffic is redirected. */
export function proxyValueErrors(proxy: JsonObject): readonly string[] {
  return Object.entries(CHECKS).flatMap(([field, problemOf]) => {
    const list = textAt(proxy, field);
    if (list === '' || list === '*') return [];
    return list.split(',').flatMap((item) => {
      const problem = problemOf(item);
      return problem === undefined ? [] : [problem.replace('PATH', `global.proxy.${field}`)];
    });
  });
}

function rangeProblem(range: string): string | undefined {
  const [address = '', bits, ...rest] = range.split('/');
  const version = address.includes('%') ? 0 : isIP(address);
  if (bits === undefined) return `PATH ${JSON.stringify(range)}: no '/'`;
  if (version === 0 || rest.length > 0)
    return `PATH ${JSON.stringify(range)}: ${JSON.stringify(address)} is no IP address`;
  const isLength = /^(?:0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
  return isLength ? undefined : `PATH ${JSON.stringify(range)}: prefix length out of range`;
}

function portProblem(port: string): string | undefined {
  if (port === '' || port === '*') return undefined;
  if (!/^[+-]?\d+$/.test(port)) return `PATH : parsing ${JSON.stringify(port)}: invalid syntax`;
  const number = Number(port);
  return number >= 0 && number <= 65_535 ? undefined : `value PATH:${number} falls outside range [0, 65535]`;
}
