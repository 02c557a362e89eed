import { decode, encode, type Any } from '@kedge/envoy-api';
import { stringField } from './string-field.ts';

/** What the messages of both protocols have in common, as far as the agent takes part in them. */
export interface AgentRequest {
  readonly typeUrl: string;
  readonly versionInfo?: string;
  readonly responseNonce?: string;
  /** Why something was refused, or isn't well. */
  readonly error?: string;
}

export interface AgentResponse {
  readonly versionInfo: string;
  readonly nonce: string;
  readonly resources: readonly Any[];
}

/** One of the two protocols of xDS. */
export interface Protocol {
  readonly requestType: (request: Uint8Array) => string | undefined;
  readonly responseType: (response: Uint8Array) => string | undefined;
  readonly encodeRequest: (request: AgentRequest) => Buffer;
  readonly decodeResponse: (response: Uint8Array) => AgentResponse;
  /** The response with its resources replaced, in their order. */
  readonly withResources: (response: Uint8Array, convert: (resource: Any) => Promise<Any>) => Promise<Buffer>;
}

/** `google.rpc.Code.INTERNAL`. */
const internal = 13;
const api = 'envoy.service.discovery.v3';
const detailOf = (error: string | undefined) =>
  error === undefined ? {} : { errorDetail: { code: internal, message: error } };

/** State of the world. */
const sotw: Protocol = {
  requestType: (request) => stringField(request, 4),
  responseType: (response) => stringField(response, 4),
  encodeRequest: ({ error, ...request }) =>
    Buffer.from(encode(`${api}.DiscoveryRequest`, { ...request, ...detailOf(error) })),
  decodeResponse: (response) => {
    const { versionInfo = '', nonce = '', resources = [] } = decode(`${api}.DiscoveryResponse`, response);
    return { versionInfo, nonce, resources };
  },
  withResources: async (response, convert) => {
    const message = decode(`${api}.DiscoveryResponse`, response);
    const resources = await Promise.all((message.resources ?? []).map(convert));
    return Buffer.from(encode(`${api}.DiscoveryResponse`, { ...message, resources }));
  },
};

const delta: Protocol = {
  requestType: (request) => stringField(request, 2),
  responseType: (response) => stringField(response, 4),
  encodeRequest: ({ error, typeUrl, responseNonce }) =>
    Buffer.from(
      encode(`${api}.DeltaDiscoveryRequest`, {
        typeUrl,
        ...(responseNonce !== undefined && { responseNonce }),
        ...detailOf(error),
      }),
    ),
  decodeResponse: (response) => {
    const message = decode(`${api}.DeltaDiscoveryResponse`, response);
    const resources = (message.resources ?? []).flatMap(({ resource }) => (resource ? [resource] : []));
    return { versionInfo: message.systemVersionInfo ?? '', nonce: message.nonce ?? '', resources };
  },
  withResources: async (response, convert) => {
    const message = decode(`${api}.DeltaDiscoveryResponse`, response);
    const resources = await Promise.all(
      (message.resources ?? []).map(async (entry) =>
        entry.resource ? { ...entry, resource: await convert(entry.resource) } : entry,
      ),
    );
    return Buffer.from(encode(`${api}.DeltaDiscoveryResponse`, { ...message, resources }));
  },
};

/** The protocol of a method of ADS. */
export function protocolOf(method: string): Protocol {
  return method.endsWith('/DeltaAggregatedResources') ? delta : sotw;
}
