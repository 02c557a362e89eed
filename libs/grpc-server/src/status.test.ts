import { status as grpcJsStatus } from '@grpc/grpc-js';
import { expect, test } from '@jest/globals';
import { GrpcError, Status, statusName } from './status.ts';

test('codes and names are those of grpc-js', () => {
  for (const [name, code] of Object.entries(Status)) {
    expect(grpcJsStatus[code]).toBe(name);
    expect(statusName(code)).toBe(name);
  }
  expect(Object.keys(Status)).toHaveLength(17);
});

test('what was thrown is passed on only where it is a GrpcError', () => {
  const error = new GrpcError(Status.NOT_FOUND, 'no such thing');
  expect(GrpcError.from(error)).toBe(error);
  const foreign = new Error('secret');
  expect(GrpcError.from(foreign)).toMatchObject({ code: Status.UNKNOWN, cause: foreign });
  expect(GrpcError.from(foreign).message).not.toContain('secret');
});
