import type { Pod } from '@kedge/inject';
import { TestCluster } from '@kedge/testbed';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type CrdDocument, crdDocuments, verdictFailure } from './crd-documents.ts';
import { createdPods, injectPods } from './inject-cases.ts';
import { readInjectData } from './inject.ts';

const root = join(import.meta.dirname, '../../../..');
const data = resolve(root, process.env.CONFORMANCE_DIR ?? '../shared/conformance/peer');
const definitions = join(root, 'charts/base/files/crd-all.gen.yaml');
const namespace = 'conformance-test';

const cluster = TestCluster.find('api');
const reason =
  typeof cluster === 'string' ? cluster : existsSync(data) ? undefined : `there is no peer data at ${data}`;
if (typeof cluster === 'string' || reason !== undefined) {
  process.stderr.write(`tests of peer data with an API server are left out: ${reason}\n`);
  test.skip('with a real API server', () => undefined);
} else {
  testIn(cluster);
}

function testIn(cluster: TestCluster): void {
  const errorOf = (...objects: readonly object[]): string | undefined => {
    try {
      cluster.dryRun(...objects);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  };

  describe('definitions', () => {
    const names = () => new Set(cluster.kubectl('get', 'crds', '-o', 'name').split('\n'));
    const before = names();
    const added = () => [...names()].filter((name) => name.includes('istio.io') && !before.has(name));

    beforeAll(() => {
      cluster.kubectl('apply', '--server-side', '--force-conflicts', '-f', definitions);
      cluster.kubectl('wait', '--for=condition=Established', '--timeout=60s', '-f', definitions);
    });
    afterAll(() => {
      if (added().length > 0) cluster.kubectl('delete', '--wait=false', ...added());
    });

    test('all are accepted, without a complaint about their schemas', () => {
      const { items } = cluster.get('-f', definitions) as {
        readonly items: readonly { readonly status: { readonly conditions: readonly Condition[] } }[];
      };
      const states = items.map(({ status }) => status.conditions.filter(({ type }) => type !== 'NonStructuralSchema'));
      expect(items.length).toBeGreaterThan(10);
      for (const conditions of states) {
        expect(conditions.map(({ type, status }) => `${type}=${status}`).sort()).toEqual(
          expect.arrayContaining(['Established=True', 'NamesAccepted=True']),
        );
      }
      expect(
        items.flatMap(({ status }) => status.conditions.filter(({ type }) => type === 'NonStructuralSchema')),
      ).toEqual([]);
    });

    test('objects are accepted and refused as by Istio', () => {
      const documents = crdDocuments(join(data, 'validation/crds'));
      const failures = documents.map((document) => {
        const { metadata } = document.object as { readonly metadata?: object };
        const error = errorOf({ ...document.object, metadata: { ...metadata, namespace: 'default' } });
        return verdictFailure(inNewerWords(document), error === undefined ? [] : [error]);
      });
      expect(documents.length).toBeGreaterThan(70);
      expect(failures.filter((failure) => failure !== undefined)).toEqual([]);
    });
  });

  describe('injected pods', () => {
    beforeAll(() => {
      cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    });
    afterAll(() => void cluster.kubectl('delete', 'namespace', namespace, '--wait=false'));

    const { cases, facts } = readInjectData(join(data, 'inject'));
    const injected = cases
      .filter(({ expected, options }) => expected !== undefined && options.runs.includes('webhook'))
      .map((item) => ({
        id: item.id,
        pods: injectPods(item, facts).map((pod) => pod as Pod),
        istios: createdPods(facts.read(item.expected ?? '')),
      }));

    test('all are accepted, but those that are not as Istio injects them either', () => {
      const accounts = new Set(injected.flatMap(({ pods }) => pods.map(({ spec }) => spec.serviceAccountName)));
      for (const name of accounts)
        if (typeof name === 'string')
          cluster.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
      const refused = injected.flatMap(({ id, pods, istios }) => {
        const error = errorOf(...pods.map(admissible));
        return error === undefined ? [] : [{ id, error, istios: errorOf(...istios.map(admissible)) }];
      });
      expect(injected.length - refused.length).toBeGreaterThan(70);
      expect(refused.filter(({ istios }) => istios === undefined)).toEqual([]);
    });
  });
}

/** The same in the words of newer API servers, which don't name the type, and take null for nothing. */
function inNewerWords({ expectedError, ...document }: CrdDocument): CrdDocument {
  if (expectedError === undefined) return document;
  const nothing = expectedError.replace(/ in body must be of type \w+: "null"$/, ': Required value');
  return { ...document, expectedError: nothing.replace(/^.*: Invalid value: "(?:object|integer)": /, '') };
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** A pod as it can be created by itself: owners of peer data have no UIDs, and its namespaces are not there. */
function admissible({ metadata, spec }: Pod, index: number): object {
  const { ownerReferences: _, namespace: __, generateName: ___, ...rest } = metadata;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...rest, name: `pod-${index}`, namespace }, spec };
}
