import type { DirectResponseAction } from '@kedge/envoy-api';
import type { HTTPDirectResponse } from '@kedge/model';

/** An answer from the proxy itself. */
export function directResponse({ status, body }: HTTPDirectResponse): DirectResponseAction {
  return {
    status,
    ...(body?.string === undefined ? {} : { body: { inlineString: body.string } }),
    ...(body?.bytes === undefined ? {} : { body: { inlineBytes: body.bytes } }),
  };
}
