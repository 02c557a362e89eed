import { createServer, type RequestListener } from 'node:http';
import type { MetricRegistry } from '@kedge/observability';

/** Liveness and readiness, for the kubelet. */
export function healthEndpoints(isReady: () => boolean): RequestListener {
  return ({ url }, response) => {
    if (url === '/healthz') response.end();
    else if (url === '/readyz') response.writeHead(isReady() ? 200 : 503).end();
    else response.writeHead(404).end();
  };
}

export function metricsEndpoint(registry: MetricRegistry): RequestListener {
  return ({ url }, response) => {
    if (url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void registry.text().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  };
}

export function serve(port: number, listener: RequestListener): Promise<Disposable> {
  const server = createServer(listener);
  return new Promise((resolve, reject) => {
    server.on('error', reject).listen(port, () => {
      resolve({
        [Symbol.dispose]: () => {
          server.close();
          server.closeAllConnections();
        },
      });
    });
  });
}
