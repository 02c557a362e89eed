import { expect, test } from '@jest/globals';
import { describeFiles } from './descriptors.ts';
import { typeModules } from './types.ts';

const EXTENSIONS = {
  name: 'google/protobuf/descriptor.proto',
  text: `syntax = "proto2"; package google.protobuf;
    message FieldOptions { optional bool deprecated = 3; optional bool packed = 2; extensions 1000 to max; }
    message MessageOptions { extensions 1000 to max; }
    message OneofOptions { extensions 1000 to max; }
    message EnumOptions { optional bool allow_alias = 2; extensions 1000 to max; }`,
};

const RULES = {
  name: 'rules.proto',
  text: `syntax = "proto2"; package rules; import "google/protobuf/descriptor.proto";
    message Rules { optional uint64 min_len = 1; optional string pattern = 2; repeated int32 not_in = 3; }
    extend google.protobuf.FieldOptions { optional Rules rules = 1071; }`,
};

const EXAMPLE = {
  name: 'example.proto',
  text: `syntax = "proto3"; package example.v1; import "rules.proto";
    enum Color { RED = 0; BLUE = 1; }
    message Outer {
      message Inner { string snake_case_name = 1 [(rules.rules) = {min_len: 1, pattern: "^a$"}]; }
      repeated Inner inners = 1;
      map<string, Color> colors = 2;
      oneof choice { string text = 3; Inner inner = 4; }
      optional uint64 number = 5 [deprecated = true, (rules.rules).not_in = 7];
      repeated int32 list = 6 [packed = false];
    }
    service Greeter { rpc Greet(stream Outer) returns (Outer.Inner); }`,
};

const files = describeFiles([EXAMPLE, RULES, EXTENSIONS]);
const example = files.at(-1);

test('files follow those that they import', () => {
  expect(files.map((f) => f.name)).toEqual(['google/protobuf/descriptor.proto', 'rules.proto', 'example.proto']);
});

test('an import that is missing is an error', () => {
  expect(() => describeFiles([{ name: 'a.proto', text: 'syntax = "proto3"; import "b.proto";' }])).toThrow('b.proto');
});

test('fields have what bytes, JSON and validation need', () => {
  const [outer] = example?.messageType ?? [];
  expect(outer?.nestedType?.map((m) => m.name)).toEqual(['Inner', 'ColorsEntry']);
  expect(outer?.nestedType?.[0]?.field).toEqual([
    {
      name: 'snake_case_name',
      number: 1,
      label: 'LABEL_OPTIONAL',
      type: 'TYPE_STRING',
      jsonName: 'snakeCaseName',
      options: { '[rules.rules]': { minLen: '1', pattern: '^a$' } },
    },
  ]);
  expect(outer?.field).toEqual([
    expect.objectContaining({ name: 'inners', label: 'LABEL_REPEATED', typeName: '.example.v1.Outer.Inner' }),
    expect.objectContaining({ name: 'colors', label: 'LABEL_REPEATED', typeName: '.example.v1.Outer.ColorsEntry' }),
    expect.objectContaining({ name: 'text', oneofIndex: 0 }),
    expect.objectContaining({ name: 'inner', oneofIndex: 0 }),
    expect.objectContaining({
      name: 'number',
      oneofIndex: 1,
      proto3Optional: true,
      options: { deprecated: true, '[rules.rules]': { notIn: [7] } },
    }),
    expect.objectContaining({ name: 'list', options: { packed: false } }),
  ]);
});

test('services and extensions are described too', () => {
  expect(example).toMatchObject({
    service: [
      {
        name: 'Greeter',
        method: [
          {
            name: 'Greet',
            inputType: '.example.v1.Outer',
            outputType: '.example.v1.Outer.Inner',
            clientStreaming: true,
          },
        ],
      },
    ],
  });
  expect(files[1]).toMatchObject({
    extension: [{ name: 'rules', number: 1071, extendee: '.google.protobuf.FieldOptions' }],
  });
});

test('each message has a type of its protobuf JSON shape', () => {
  const modules = typeModules(files);
  expect(modules.get('example.v1.ts')).toContain(
    [
      'export interface Outer {',
      '  readonly inners?: readonly (Outer_Inner)[];',
      '  readonly colors?: { readonly [key: string]: Color };',
      '  readonly text?: string;',
      '  readonly inner?: Outer_Inner;',
      '  readonly number?: string;',
      '  readonly list?: readonly (number)[];',
      '}',
    ].join('\n'),
  );
  expect(modules.get('example.v1.ts')).toContain(`export type Color = 'RED' | 'BLUE' | number;`);
  expect(modules.get('messages.ts')).toContain(`  'example.v1.Outer.Inner': example_v1.Outer_Inner;`);
});
