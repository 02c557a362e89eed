import type { OpenApi } from './openapi.ts';

const text = (description: string): OpenApi => ({ description, type: 'string' });
const time = (description: string): OpenApi => ({ description, type: 'string', format: 'date-time' });
const observedGeneration: OpenApi = {
  description: 'Generation of the object that this is about.',
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};

/** The status, which is the same for all kinds. Controllers may put more into it. */
export const statusSchema: OpenApi = {
  description: 'What became of the object; written by controllers.',
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
  properties: {
    conditions: {
      description: 'Conditions of the object, one of a type.',
      type: 'array',
      items: {
        type: 'object',
        properties: {
          lastProbeTime: time('When the condition was last looked at.'),
          lastTransitionTime: time('When the condition last changed.'),
          message: text('Why, for people.'),
          observedGeneration,
          reason: text('Why, in one word, for programs.'),
          status: text('True, False or Unknown.'),
          type: text('What the condition is about.'),
        },
      },
    },
    observedGeneration,
    validationMessages: {
      description: 'What analysis found in the object.',
      type: 'array',
      items: {
        type: 'object',
        properties: {
          documentationUrl: text('Where more is said of it.'),
          level: {
            description: 'How bad it is.',
            type: 'string',
            enum: ['UNKNOWN', 'ERROR', 'WARNING', 'INFO'],
          },
          type: {
            description: 'What was found.',
            type: 'object',
            properties: { code: text('Code of the message.'), name: text('Name of the message.') },
          },
        },
      },
    },
  },
};
