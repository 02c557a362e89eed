import { GrpcError, Status } from './status.ts';
import type { Method, ServerStream } from './service.ts';

/** Hands a call to the handler of its method; whatever the handler throws becomes the status of the call. */
export function runMethod(method: Method, stream: ServerStream): void {
  switch (method.kind) {
    case 'unary':
      receiveOne(stream, async (request) => {
        stream.write(await method.handle(request, stream));
        stream.end();
      });
      return;
    case 'serverStream':
      receiveOne(stream, async (request) => method.handle(request, stream));
      return;
    case 'bidi':
      guard(stream, async () => method.handle(stream));
  }
}

function receiveOne(stream: ServerStream, handle: (request: Uint8Array) => Promise<void>): void {
  let request: Uint8Array | undefined;
  stream.receive(
    (message) => {
      if (request !== undefined) throw cardinality('more than one request');
      request = Buffer.from(message);
    },
    () => {
      if (request === undefined) throw cardinality('no request');
      const only = request;
      guard(stream, async () => handle(only));
    },
  );
}

/** gRPC's status codes page assigns UNIMPLEMENTED to a wrong number of requests. */
function cardinality(got: string): GrpcError {
  return new GrpcError(Status.UNIMPLEMENTED, `the method takes one request, but the client sent ${got}`);
}

function guard(stream: ServerStream, run: () => Promise<void>): void {
  run().catch((error: unknown) => stream.fail(error));
}
