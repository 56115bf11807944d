/** The settings of http and s3 that follow from a plan. */
import { describe, expect, test } from '@jest/globals';
import type { PairConditions } from '../../../domain/model/conditions';
import { http } from '../../../domain/tools/http/module';
import { s3 } from '../../../domain/tools/s3/module';

const pair: PairConditions = {
  zoneRelation: 'same_zone',
  placement: 'none',
  path: 'private',
  enaExpress: 'off',
  enaExpressUdp: false,
  mtuBytes: 9001,
};

test('http: the server sends, four streams of 1 GiB unless told otherwise', () => {
  expect(http.settings(http.plan.parse({ tool: 'http', durationSeconds: 60 }))).toEqual({
    scheme: 'http',
    parallelStreams: 4,
    objectBytes: 1_073_741_824,
    durationSeconds: 60,
    protocol: 'tcp',
    direction: 'reverse',
  });
});

describe('s3', () => {
  const download = { tool: 's3', operation: 'download', durationSeconds: 60 };

  test.each([
    ['download', 'reverse'],
    ['upload', 'forward'],
  ])('%s: direction %s, seen from the client', (operation, direction) => {
    expect(s3.settings(s3.plan.parse({ ...download, operation }))).toEqual({
      mode: operation,
      scheme: 'http',
      parallelStreams: 4,
      objectBytes: 64_000_000,
      durationSeconds: 60,
      protocol: 'tcp',
      direction,
    });
  });

  test.each([
    [{ rangeBytes: 8_000_000 }, []],
    [{ rangeBytes: 65_000_000 }, [{ key: 'rangeBytes', allowed: 'at most objectBytes (64000000)' }]],
    [
      { operation: 'upload', rangeBytes: 8_000_000 },
      [{ key: 'rangeBytes', allowed: 'left out with operation upload' }],
    ],
  ])('%j: %j', (more, problems) => {
    expect(s3.problems(s3.plan.parse({ ...download, ...more }))).toEqual(problems);
  });

  test('is measured on the private path only, because S3 is reached in one way', () => {
    const settings = s3.settings(s3.plan.parse(download));
    expect(s3.notApplicable(settings, pair)).toBeUndefined();
    expect(s3.notApplicable(settings, { ...pair, path: 'nlb' })).toBe(
      'S3 is reached through its gateway endpoint, whatever the path (nlb) to the server is',
    );
  });
});
