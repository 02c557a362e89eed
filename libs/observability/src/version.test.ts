import { expect, test } from '@jest/globals';
import { buildInfo, versionFields, versionLine } from './version.ts';

const info = { version: '1.2.3', revision: 'abc', status: 'Clean', tag: 'v1.2.3' };

test('sources that run unbuilt say so', () => {
  expect(buildInfo).toMatchObject({ version: 'dev', revision: 'unknown' });
});

test('the line and the fields tell the same', () => {
  const node = `node${process.versions.node}`;
  expect(versionFields(info)).toEqual({
    version: '1.2.3',
    revision: 'abc',
    golang_version: node,
    status: 'Clean',
    tag: 'v1.2.3',
  });
  expect(versionLine(info)).toBe(
    `version.BuildInfo{Version:"1.2.3", GitRevision:"abc", GolangVersion:"${node}", BuildStatus:"Clean", GitTag:"v1.2.3"}`,
  );
});
