import type { ConfigOf } from '../kinds/config.ts';
import type { ReadinessProbe } from '../kinds/readiness-probe.ts';
import { probeHeaderNameProblem } from './http-header.ts';
import type { Issues } from './issues.ts';
import { validateLabels } from './labels.ts';
import { negativeProblem } from './numbers.ts';
import { portProblem } from './port.ts';

export function validateWorkloadGroup(issues: Issues, { spec }: ConfigOf<'WorkloadGroup'>): void {
  const { template, metadata, probe } = spec;
  issues
    .at('template')
    .errorIf(template === undefined, 'required', 'needs a template for the entries of its workloads');
  issues.field('metadata', metadata, (at, { labels }) => validateLabels(at, 'labels', labels));
  issues.field('probe', probe, validateProbe);
}

const PROBE_NUMBERS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function validateProbe(issues: Issues, probe: ReadinessProbe): void {
  const { httpGet, tcpSocket, exec } = probe;
  issues.checkFields(probe, PROBE_NUMBERS, 'out-of-range', negativeProblem);
  issues.errorIf(!httpGet && !tcpSocket && !exec, 'required', 'needs httpGet, tcpSocket or exec');
  issues.field('httpGet', httpGet, (at, { port, scheme = '', httpHeaders }) => {
    at.at('port').check('invalid-port', portProblem(port));
    at.at('scheme').errorIf(!['', 'HTTP', 'HTTPS'].includes(scheme), 'invalid-scheme', 'must be HTTP or HTTPS');
    at.each('httpHeaders', httpHeaders, (header, { name = '' }) =>
      header.at('name').check('invalid-header-name', probeHeaderNameProblem(name)),
    );
  });
  issues.field('tcpSocket', tcpSocket, (at, { port }) => at.at('port').check('invalid-port', portProblem(port)));
  issues.field('exec', exec, (at, { command }) =>
    at.at('command').errorIf(command.length === 0, 'required', 'needs a command'),
  );
}
