import { status as codes } from '@grpc/grpc-js';
import { describe, expect, test } from '@jest/globals';
import protobuf from 'protobufjs';
import { reflectionMethods, reflectionServiceNames, type Descriptors } from './reflection.ts';
import { bytes, startServer } from './test-support.ts';

const { root } = protobuf.parse(`
  syntax = "proto3";
  message ServerReflectionRequest {
    string host = 1;
    oneof message_request {
      string file_by_filename = 3;
      string file_containing_symbol = 4;
      ExtensionRequest file_containing_extension = 5;
      string all_extension_numbers_of_type = 6;
      string list_services = 7;
    }
  }
  message ExtensionRequest { string containing_type = 1; int32 extension_number = 2; }
  message ServerReflectionResponse {
    string valid_host = 1;
    ServerReflectionRequest original_request = 2;
    oneof message_response {
      FileDescriptorResponse file_descriptor_response = 4;
      ListServiceResponse list_services_response = 6;
      ErrorResponse error_response = 7;
    }
  }
  message FileDescriptorResponse { repeated bytes file_descriptor_proto = 1; }
  message ListServiceResponse { repeated ServiceResponse service = 1; }
  message ServiceResponse { string name = 1; }
  message ErrorResponse { int32 error_code = 1; string error_message = 2; }
`);
const requestType = root.lookupType('ServerReflectionRequest');
const responseType = root.lookupType('ServerReflectionResponse');

const descriptors: Descriptors = {
  fileBySymbol: (name) => (name === 'a.Service' ? bytes('file of a.Service') : undefined),
  fileByName: (name) => (name === 'a.proto' ? bytes('a.proto itself') : undefined),
  services: () => ['a.Service', 'b.Service'],
};

describe.each(reflectionServiceNames)('%s', (service) => {
  test.each([
    [{ fileContainingSymbol: 'a.Service' }, { fileDescriptorResponse: { fileDescriptorProto: ['file of a.Service'] } }],
    [{ fileByFilename: 'a.proto' }, { fileDescriptorResponse: { fileDescriptorProto: ['a.proto itself'] } }],
    [{ listServices: '' }, { listServicesResponse: { service: [{ name: 'a.Service' }, { name: 'b.Service' }] } }],
    [{ fileByFilename: 'x' }, { errorResponse: { errorCode: codes.NOT_FOUND, errorMessage: 'there is no file x' } }],
    [{ fileContainingSymbol: 'x' }, { errorResponse: expect.objectContaining({ errorCode: codes.NOT_FOUND }) }],
    [
      { allExtensionNumbersOfType: 'x' },
      { errorResponse: expect.objectContaining({ errorCode: codes.UNIMPLEMENTED }) },
    ],
    [{ fileContainingExtension: {} }, { errorResponse: expect.objectContaining({ errorCode: codes.UNIMPLEMENTED }) }],
    [{}, { errorResponse: expect.objectContaining({ errorCode: codes.INVALID_ARGUMENT }) }],
  ])('%j', async (question, answer) => {
    await using server = await startServer({});
    server.server.addService(service, reflectionMethods(descriptors));
    const request = { host: 'h', ...question };
    const stream = server.connect().bidi(`/${service}/ServerReflectionInfo`);
    // Twice: a stream serves many requests.
    for (const count of [1, 2]) await stream.send(requestType.encode(request).finish()).count(count);
    const [, response] = stream.received;
    const decoded = responseType.toObject(responseType.decode(response!));
    const file = decoded['fileDescriptorResponse'] as { fileDescriptorProto: unknown[] } | undefined;
    if (file) file.fileDescriptorProto = file.fileDescriptorProto.map(String);
    expect(decoded).toEqual({ validHost: 'h', originalRequest: request, ...answer });
    stream.call.end();
    expect((await stream.status).code).toBe(codes.OK);
  });
});

test('bytes that are no request end the call', async () => {
  await using server = await startServer({});
  server.server.addService(reflectionServiceNames[0], reflectionMethods(descriptors));
  const stream = server.connect().bidi(`/${reflectionServiceNames[0]}/ServerReflectionInfo`).send(bytes('\n'));
  expect((await stream.status).code).toBe(codes.INVALID_ARGUMENT);
});
