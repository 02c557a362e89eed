import { describe, expect, test } from '@jest/globals';
import { AuthorizationCondition, ConsistentHashLB, HTTPRedirect, WorkloadMode, WorkloadSelector } from '@kedge/model';
import { describe as document } from './facts/facts.ts';
import { messageFacts } from './facts/index.ts';
import { openApiOf } from './openapi.ts';

describe('the OpenAPI schema of a message', () => {
  test('has a described property for each field, and names those that are required', () => {
    expect(openApiOf(AuthorizationCondition, messageFacts, { about: 'A condition.' })).toEqual({
      description: 'A condition.',
      type: 'object',
      properties: {
        key: { description: 'Attribute of the request, e.g. request.headers[x-id].', type: 'string' },
        notValues: {
          description: 'Values that the attribute must not have.',
          type: 'array',
          items: { type: 'string' },
        },
        values: {
          description: 'Values, one of which the attribute must have.',
          type: 'array',
          items: { type: 'string' },
        },
      },
      required: ['key'],
    });
  });

  test('lets at most one field of a oneof be there', () => {
    const port = { required: ['port'] };
    const derivePort = { required: ['derivePort'] };
    expect(openApiOf(HTTPRedirect, messageFacts).oneOf).toEqual([
      { not: { anyOf: [port, derivePort] } },
      port,
      derivePort,
    ]);
    expect(openApiOf(ConsistentHashLB, messageFacts).allOf?.map(({ oneOf }) => oneOf?.length)).toEqual([5, 3]);
  });

  test('says which fields are deprecated', () => {
    const { properties } = openApiOf(ConsistentHashLB, messageFacts);
    expect(properties?.['minimumRingSize']).toEqual({
      description: 'Least number of points on the ring; use ringHash. Deprecated.',
      type: 'integer',
      minimum: 0,
    });
  });

  test('holds maps and their values to their rules', () => {
    const labels = openApiOf(WorkloadSelector, messageFacts).properties?.['matchLabels'];
    expect(labels).toMatchObject({ type: 'object', maxProperties: 4096, additionalProperties: { maxLength: 63 } });
    expect(labels?.['x-kubernetes-validations']).toHaveLength(2);
    expect(labels?.additionalProperties?.['x-kubernetes-validations']).toHaveLength(1);
  });

  test('knows a second spelling, and replaces the rules of the type by those of the field', () => {
    const facts = document(
      AuthorizationCondition,
      { key: { about: 'Key.', alias: 'the_key', maxLength: 9 }, values: 'Values.', notValues: 'Others.' },
      [{ rule: 'true', message: 'holds' }],
    );
    const all = new Map([facts]);
    const { properties, ...message } = openApiOf(AuthorizationCondition, all);
    expect(properties?.['the_key']).toEqual({ description: 'Key.', type: 'string', maxLength: 9 });
    expect(properties?.['key']).toEqual(properties?.['the_key']);
    expect(message).toMatchObject({ 'x-kubernetes-validations': [{ rule: 'true', message: 'holds' }] });
    expect(openApiOf(AuthorizationCondition, all, { rules: [] })['x-kubernetes-validations']).toBeUndefined();
  });

  test('an enum is its names in the order of their numbers', () => {
    expect(openApiOf(WorkloadMode, messageFacts)).toEqual({
      type: 'string',
      enum: ['UNDEFINED', 'CLIENT', 'SERVER', 'CLIENT_AND_SERVER'],
    });
  });

  test('a message of which nothing is said is a fault', () => {
    expect(() => openApiOf(WorkloadSelector, new Map())).toThrow('nothing is said of the message with matchLabels');
    expect(() => document(WorkloadMode as never, {})).toThrow('only messages have fields');
  });
});
