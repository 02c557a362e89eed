import { expect, test } from '@jest/globals';
import { templateProblem } from './template-problem.ts';

test('templates for paths', () => {
  const fine = ['/', '/*', '/**', '/**/x', '/*/**', '/a*', '/{a}/{b=*}', '/{a=**}/x', '/a/', "/%7B!$&'()+,;:@=-._~"];
  expect(fine.filter((text) => templateProblem(text) !== undefined)).toEqual([]);
  const variables = ['/{a}/{a}', '/{1a}', `/{${'a'.repeat(17)}}`, '/{a}/{b}/{c}/{d}/{e}/{f}', '/{a', '/a}'];
  const wrong = ['', 'x', '*', '//', '/a//b', '/**/**', '/**/*', '/a b', '/é', '/[x]', '/a?b', ...variables];
  expect(wrong.filter((text) => templateProblem(text) === undefined)).toEqual([]);
});
