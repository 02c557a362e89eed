import { join } from 'node:path';
import type { ProxyConfig } from '@kedge/model';
import type { RemoteCluster } from './clusters.ts';
import type { TypedExtension } from './messages.ts';
import type { NodeMetadata } from './node-metadata.ts';
import { upstreamTls } from './tls.ts';

export interface Tracer {
  readonly collector: RemoteCluster;
  readonly http: TypedExtension;
}

const traceType = 'type.googleapis.com/envoy.config.trace.v3';

/**
 * The tracer that the ProxyConfig names, with its collector; undefined without tracing.
 * @throws Error for a tracer that Envoy no longer has.
 */
export function tracer(config: ProxyConfig, metadata: NodeMetadata, serviceName: string): Tracer | undefined {
  const { zipkin, lightstep, datadog, stackdriver, openCensusAgent, tlsSettings } = config.tracing ?? {};
  const tls = (http2: boolean) => upstreamTls(tlsSettings, metadata, { defaultSni: 'tracer', http2 });
  if (zipkin?.address) {
    return {
      collector: {
        name: 'zipkin',
        field: 'tracing.zipkin.address',
        address: zipkin.address,
        http2: false,
        tls: tls(false),
        fields: { dnsRefreshRate: '30s' },
      },
      http: {
        name: 'envoy.tracers.zipkin',
        typedConfig: {
          '@type': `${traceType}.ZipkinConfig`,
          collectorCluster: 'zipkin',
          collectorEndpoint: '/api/v2/spans',
          collectorEndpointVersion: 'HTTP_JSON',
          traceId128bit: true,
          sharedSpanContext: false,
        },
      },
    };
  }
  if (lightstep?.address) {
    return {
      collector: {
        name: 'lightstep',
        field: 'tracing.lightstep.address',
        address: lightstep.address,
        http2: true,
        tls: tls(true),
      },
      http: {
        name: 'envoy.tracers.lightstep',
        typedConfig: {
          '@type': `${traceType}.LightstepConfig`,
          collectorCluster: 'lightstep',
          accessTokenFile: lightstepTokenFile(config),
        },
      },
    };
  }
  if (datadog?.address) {
    return {
      collector: {
        name: 'datadog_agent',
        field: 'tracing.datadog.address',
        address: datadog.address,
        http2: false,
        tls: tls(false),
      },
      http: {
        name: 'envoy.tracers.datadog',
        typedConfig: { '@type': `${traceType}.DatadogConfig`, collectorCluster: 'datadog_agent', serviceName },
      },
    };
  }
  if (stackdriver || openCensusAgent) {
    throw new Error(`tracing.${stackdriver ? 'stackdriver' : 'openCensusAgent'}: Envoy no longer has this tracer`);
  }
  return undefined;
}

function lightstepTokenFile(config: ProxyConfig): string {
  return join(config.configPath ?? '', 'lightstep_access_token.txt');
}

/** The file with Lightstep's access token that has to lie beside the bootstrap. */
export function lightstepToken(config: ProxyConfig): { readonly path: string; readonly content: string } | undefined {
  const settings = config.tracing?.lightstep;
  return settings && { path: lightstepTokenFile(config), content: settings.accessToken ?? '' };
}
