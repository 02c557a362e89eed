import type { MetricRegistry } from '../metrics/registry.ts';
import { buildInfo, versionLine } from '../version.ts';
import { type HttpHandler, type Routes, text } from './http-server.ts';

/** For probes of a server: 200 with no text, or 503 once it is told to stop. */
export function readyRoutes(stop: AbortSignal): Routes {
  const ready = () => (stop.aborted ? text('ending\n', 503) : text(''));
  return new Map([
    ['/ready', ready],
    ['/healthz', ready],
  ]);
}

/** What a monitoring port serves: the metrics, and the version as a line. */
export function monitoringRoutes(registry: MetricRegistry): Routes {
  const metrics = async () => ({ contentType: registry.contentType, body: await registry.text() });
  return new Map<string, HttpHandler>([
    ['/metrics', metrics],
    ['/version', () => text(versionLine(buildInfo))],
  ]);
}
