import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '@kedge/model';
import { parse } from 'yaml';
import { mergeInputs } from '../merge-inputs.ts';
import { profileNames } from '../profiles.ts';
import { validateOperator } from './validate-operator.ts';

const validate = (spec: string) => validateOperator({ spec: parse(spec) as JsonObject });

const gateway = (direction: string, port: string): string =>
  `components: {${direction}Gateways: [{name: gw, k8s: {service: {ports: [{port: 15020, name: ok}, {port: 80, name: http2${port}}]}}}]}`;

describe('an IstioOperator', () => {
  test.each([
    ['{}', []],
    ['vlaues: {}', ['could not unmarshal: json: unknown field "vlaues" (spec.vlaues); did you mean "values"?']],
    [
      'components: {pilot: {k8s: {tolerations: [{kee: x}]}}}',
      ['json: unknown field "kee" (spec.components.pilot.k8s.tolerations[0].kee); did you mean "key"?'],
    ],
    ['components: {pilot: {enabled: "yes"}}', ['spec.components.pilot.enabled must be true or false, not "yes"']],
    ['components: {ingressGateways: {}}', ['spec.components.ingressGateways must be a list, not an object']],
    [
      'values: {global: {proxy: {fooo: 1}}}',
      [
        'could not unmarshal: error unmarshaling JSON: while decoding JSON: unknown field "fooo" in istio.operator.v1alpha1.ProxyConfig (values.global.proxy.fooo)',
      ],
    ],
    [
      'values: {pilot: {autoscaleEnabeld: true}}',
      ['in istio.operator.v1alpha1.PilotConfig (values.pilot.autoscaleEnabeld); did you mean "autoscaleEnabled"?'],
    ],
    ['values: {global: {hub: 1}}', ['values.global.hub must be a string, not 1']],
    ['values: {global: {resourceScope: all, proxy: {tracer: none}}, pilot: {cpu: null, rollingMaxSurge: 25%}}', []],
    ['values: {global: {proxy: {tracer: jaeger}}}', ['values.global.proxy.tracer must be one of zipkin, lightstep']],
    [
      'values: {global: {defaultTolerations: [{thats: x}]}}',
      [
        'invalid schema for global.defaultTolerations: error unmarshaling JSON: while decoding JSON: json: unknown field "thats"',
      ],
    ],
    [
      'values: {pilot: {affinity: {nodeAfinity: {}}}}',
      [
        'invalid schema for pilot.affinity: error unmarshaling JSON: while decoding JSON: json: unknown field "nodeAfinity"',
      ],
    ],
    ['values: {global: {proxy: {includeIPRanges: "*", excludeIPRanges: "10.0.0.0/8,fd00::/8"}}}', []],
    [
      'values: {global: {proxy: {includeIPRanges: "1.1.0.256/16,3.3.0.0/33,*"}}}',
      [
        'global.proxy.includeIPRanges "1.1.0.256/16": "1.1.0.256" is no IP address',
        'global.proxy.includeIPRanges "3.3.0.0/33": prefix length out of range',
        'global.proxy.includeIPRanges "*": no \'/\'',
      ],
    ],
    [
      'values: {global: {proxy: {excludeInboundPorts: "-1,444,222x"}}}',
      [
        'value global.proxy.excludeInboundPorts:-1 falls outside range [0, 65535]',
        'global.proxy.excludeInboundPorts : parsing "222x": invalid syntax',
      ],
    ],
    ['meshConfig: {accessLogEncoding: BAR}', ['meshConfig.accessLogEncoding: ']],
    ['{hub: "a b", tag: "x:y", revision: "1.2"}', ['bad hub: ', 'bad tag: ', 'invalid revision specified: 1.2']],
    ['{hub: "localhost:5000/mesh/img", tag: 1.2}', []],
    ['components: {egressGateways: [{name: "A B"}]}', ['invalid value egressGateways.name: A B']],
    [
      gateway('ingress', ''),
      [
        'port http2/80 in gateway gw invalid: targetPort is set to 0, which requires root. Set targetPort to be greater than 1024 or configure values.gateways.istio-ingressgateway.runAsRoot=true',
      ],
    ],
    [
      gateway('egress', ', targetPort: 90'),
      [
        'port http2/80 in gateway gw invalid: targetPort is set to 90, which requires root. Set targetPort to be greater than 1024 or configure values.gateways.istio-egressgateway.runAsRoot=true',
      ],
    ],
    [gateway('ingress', ', targetPort: web'), []],
    [`{${gateway('ingress', '')}, values: {gateways: {istio-ingressgateway: {runAsRoot: true}}}}`, []],
    [
      'values: {gateways: {istio-ingressgateway: {ingressPorts: [{port: 80, targetPort: 90}, {port: 2000}]}}}',
      ['port 80 is invalid: targetPort is set to 90'],
    ],
  ])('%s', (spec, expected) => {
    const { errors } = validate(spec);
    expect(errors).toEqual(expected.map((text) => expect.stringContaining(text)));
  });

  test('replicas that an autoscaler decides on are doubtful', () => {
    const { errors, warnings } = validate(`
values: {pilot: {autoscaleEnabled: true}, gateways: {istio-egressgateway: {autoscaleEnabled: true}}}
components:
  pilot: {k8s: {replicaCount: 2}}
  egressGateways: [{name: a, k8s: {replicaCount: 1}}, {name: b}]
  ingressGateways: [{name: c, k8s: {replicaCount: 1}}]`);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([
      'components.pilot.k8s.replicaCount should not be set when values.pilot.autoscaleEnabled is true',
      'components.egressGateways[name=a].k8s.replicaCount should not be set when values.gateways.istio-egressgateway.autoscaleEnabled is true',
    ]);
  });

  test.each(profileNames.map((name) => [name]))('profile %s is valid', (name) => {
    expect(validateOperator(mergeInputs({ sets: [`profile=${name}`] }).object)).toEqual({ errors: [], warnings: [] });
  });
});
