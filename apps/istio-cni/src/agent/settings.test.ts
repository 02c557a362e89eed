import { describe, expect, test } from '@jest/globals';
import { readSettings } from './settings.ts';

test('what is not said is as in Istio', () => {
  expect(readSettings({}, {})).toMatchObject({
    netDir: '/host/etc/cni/net.d',
    runDir: '/var/run/istio-cni',
    chained: true,
    kubeconfigMode: 384,
    monitoringPort: 15014,
    repairEnabled: true,
    repairPods: false,
    repairLabelKey: 'cni.istio.io/uninitialized',
    repairExitCode: 126,
  });
});

test('a flag is stronger than the environment', () => {
  const environment = {
    CNI_CONF_NAME: 'a.conf',
    REPAIR_DELETE_PODS: 'true',
    ISTIO_OWNED_CNI_CONF_FILENAME: '01.conflist',
  };
  expect(readSettings({ cniConfName: 'b.conf', repairLabelPods: true }, environment)).toMatchObject({
    confName: 'b.conf',
    repairDeletePods: true,
    repairLabelPods: true,
    ownedConfigFile: '01.conflist',
  });
});

test('an empty variable is set, to nothing or to false', () => {
  const environment = { REPAIR_ENABLED: '', REPAIR_SIDECAR_ANNOTATION: '' };
  expect(readSettings({}, environment)).toMatchObject({ repairEnabled: false, repairSidecarAnnotation: '' });
});

test('the configuration of our own is a list by its name, too', () => {
  const environment = { ISTIO_OWNED_CNI_CONFIG_FILENAME: '02-mesh.conf' };
  expect(readSettings({}, environment).ownedConfigFile).toBe('02-mesh.conflist');
});

describe('refused', () => {
  test.each([
    [{ CNI_CONF_NAME: '../etc/a.conf' }, 'CNI_CONF_NAME: "../etc/a.conf" is not the name of a file'],
    [
      { CNI_CONF_NAME: '10-net' },
      'CNI_CONF_NAME: "10-net" is not the name of a file with the ending .conf or .conflist',
    ],
    [{ CHAINED_CNI_PLUGIN: 'yes' }, 'CHAINED_CNI_PLUGIN: "yes" is not true or false'],
    [{ MONITORING_PORT: '70000' }, 'MONITORING_PORT: "70000" is not a whole number up to 65535'],
    [{ FORCE_IPTABLES_BINARY: 'iptables; id' }, 'FORCE_IPTABLES_BINARY: "iptables; id" is not legacy or nft'],
    [{ REPAIR_BROKEN_POD_LABEL_KEY: 'a b' }, 'REPAIR_BROKEN_POD_LABEL_KEY: "a b" is not the name of a label'],
  ])('%j', (environment, problem) => {
    expect(() => readSettings({}, environment)).toThrow(problem);
  });
});
