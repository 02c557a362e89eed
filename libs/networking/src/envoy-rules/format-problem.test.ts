import { expect, test } from '@jest/globals';
import { formatProblem } from './format-problem.ts';

const refused = (...formats: string[]): readonly string[] =>
  formats.filter((text) => formatProblem(text) !== undefined);

test('formats that Envoy takes', () => {
  const fine = [
    ['', 'text', '100%%', '%%REQ(a)%%', '%PROTOCOL% %HOSTNAME()%'],
    ['%REQ(:path)%', '%REQ(a?b):10%', '%START_TIME%', '%START_TIME(%Y-%m)%', '%GRPC_STATUS(NUMBER)%'],
    [
      '%DYNAMIC_METADATA(a:b):5%',
      '%FILTER_STATE(a:FIELD:b)%',
      '%UPSTREAM_METADATA(["a", "b"])%',
      '%METADATA(ROUTE:a)%',
    ],
    ['%COALESCE({"operators":["PROTOCOL"]})%', '%PATH(WQ:ORIG)%', '%QUERY_PARAMS:3%', '%CEL(request.path)%'],
  ].flat();
  expect(refused(...fine)).toEqual([]);
});

test('formats that Envoy refuses', () => {
  const wrong = [
    ['%', '50% off', '%req(a)%', '%REQ(a)', '%REQ(a)%%', '%REQ (a)%', '%BOGUS%', '%REQ_WITHOUT_QUERY(a)%'],
    ['%REQ%', '%REQ()%', '%REQ(a b)%', '%REQ(a?b?c)%', '%PROTOCOL(a)%', '%BYTES_SENT:5%', '%UPSTREAM_METADATA(a):5%'],
    ['%START_TIME(%n)%', '%GRPC_STATUS(X)%', '%FILTER_STATE(a:FIELD)%', '%METADATA(X:a)%', '%PATH(X)%', '%CEL(a b)%'],
  ].flat();
  expect(refused(...wrong)).toEqual(wrong);
});

test('further formatters know further commands', () => {
  expect(formatProblem('%REQ_WITHOUT_QUERY(a)%', true)).toBeUndefined();
  expect(formatProblem('%PROTOCOL(a)%', true)).toBe('%PROTOCOL(a)% has parameters that it cannot have');
});
