import { describe, expect, test } from '@jest/globals';
import { recordBuild } from './build.ts';
import { createMetricRegistry } from './registry.ts';

const table = {
  pilot_xds_pushes: { kind: 'counter', help: 'pushes', labels: ['type'] },
  pilot_services: { kind: 'gauge', help: 'services' },
  pilot_xds: { kind: 'gauge', help: 'connections', labels: ['version'] },
  pilot_xds_push_time: { kind: 'distribution', help: 'seconds', labels: ['type'], buckets: [0.1, 1] },
} as const;

const samples = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('a metric registry', () => {
  test('prints its metrics in the text format', async () => {
    const registry = createMetricRegistry();
    const metrics = registry.register(table);
    metrics.pilot_xds_pushes.increment({ type: 'cds' });
    metrics.pilot_xds_pushes.add(2, { type: 'cds' });
    metrics.pilot_services.set(4);
    metrics.pilot_xds.set(1, { version: '1.32' });
    metrics.pilot_xds.set(1, { version: '1.31' });
    metrics.pilot_xds.remove({ version: '1.31' });
    metrics.pilot_xds_push_time.observe(0.5, { type: 'cds' });
    const text = await registry.text();
    expect(text).toContain('# TYPE pilot_xds_push_time histogram');
    expect(samples(text)).toEqual([
      'pilot_xds_pushes{type="cds"} 3',
      'pilot_services 4',
      'pilot_xds{version="1.32"} 1',
      'pilot_xds_push_time_bucket{le="0.1",type="cds"} 0',
      'pilot_xds_push_time_bucket{le="1",type="cds"} 1',
      'pilot_xds_push_time_bucket{le="+Inf",type="cds"} 1',
      'pilot_xds_push_time_sum{type="cds"} 0.5',
      'pilot_xds_push_time_count{type="cds"} 1',
    ]);
    expect(registry.contentType).toMatch(/^text\/plain/);
  });

  test('asks for computed gauges at each scrape', async () => {
    const registry = createMetricRegistry();
    const { uptime } = registry.register({ uptime: { kind: 'gauge', help: 'seconds' } });
    let seconds = 0;
    {
      using _ = registry.onScrape(() => uptime.set(++seconds));
      expect(samples(await registry.text())).toEqual(['uptime 1']);
      expect(samples(await registry.text())).toEqual(['uptime 2']);
    }
    expect(samples(await registry.text())).toEqual(['uptime 2']);
  });

  test('is apart from any other', async () => {
    createMetricRegistry().register(table).pilot_services.set(4);
    expect(await createMetricRegistry().text()).toBe('\n');
  });

  test('refuses a name twice', () => {
    const registry = createMetricRegistry();
    registry.register(table);
    expect(() => registry.register(table)).toThrow('pilot_xds_pushes');
  });

  test('tells what was built', async () => {
    const registry = createMetricRegistry();
    recordBuild(registry, 'pilot', { version: '1.2.3', revision: 'abc', status: 'Clean', tag: 'v1' });
    expect(samples(await registry.text())).toEqual(['istio_build{component="pilot",tag="v1"} 1']);
  });
});
