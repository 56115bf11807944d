/**
 * What the five source articles print, row by row, and that the plan of each article measures it. The plan is expanded,
 * so that a row counts only if it would be launched.
 */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { offlineFacts } from '../../bin/offline-plan';
import { preparePlan } from '../../domain/plan/prepare-plan';
import { readPlan } from '../../domain/plan/read-plan';
import type { PlannedMeasurement, PlannedPair } from '../../domain/model/planned-run';

interface Row {
  readonly pair?: Partial<PlannedPair>;
  readonly measurement: Partial<PlannedMeasurement>;
  /** How often the article made it. */
  readonly times?: number;
}

const GIBIBYTE = 1024 ** 3;
const iperf3 = (type: string, parallelStreams: number): Row => ({
  pair: { clientType: type, serverType: type, zoneRelation: 'same_zone', placement: 'none', path: 'private' },
  measurement: { tool: 'iperf3', protocol: 'tcp', durationSeconds: 1800, parallelStreams },
});
const mixed = (clientType: string, serverType: string): Row => ({
  pair: { clientType, serverType },
  measurement: { tool: 'iperf3', durationSeconds: 1800, parallelStreams: 1 },
});
const http = (parallelStreams: number): Row => ({
  measurement: { tool: 'http', scheme: 'http', objectBytes: GIBIBYTE, parallelStreams },
});
const s3 =
  (mode: 'download' | 'upload', scheme: 'http' | 'https') =>
  (parallelStreams: number): Row => ({
    measurement: { tool: 's3', mode, scheme, objectBytes: GIBIBYTE, parallelStreams },
  });
/** Rows of every zone relation with every path: a load balancer had no UDP then, and has it now. */
const sockperf = (['same_zone', 'other_zone'] as const).flatMap((zoneRelation) =>
  (['public', 'private', 'nlb'] as const).flatMap((route) =>
    (['tcp', 'udp'] as const).map((protocol): Row => ({
      pair: { zoneRelation, path: route },
      measurement: { tool: 'sockperf', mode: 'ping_pong', protocol, durationSeconds: 10 },
    })),
  ),
);
const pings = (['off', 'one_side', 'both'] as const).flatMap((enaExpress) =>
  (
    [
      { placement: 'cluster', zoneRelation: 'same_zone' },
      { placement: 'none', zoneRelation: 'same_zone' },
      { placement: 'none', zoneRelation: 'other_zone' },
    ] as const
  ).map((where): Row => ({ pair: { enaExpress, ...where }, measurement: { tool: 'ping', packetCount: 100 } })),
);
const byPath = (['public', 'peering', 'private'] as const).flatMap((route) =>
  (['iperf3', 'sockperf'] as const).map((tool): Row => ({
    pair: { path: route, zoneRelation: 'other_zone' },
    measurement: { tool },
    times: 10,
  })),
);

const ARTICLES: Readonly<Record<string, readonly Row[]>> = {
  'article-sockperf-by-path': sockperf,
  'article-iperf3-by-type': [
    ...['t2.medium', 't2.2xlarge', 'm4.large', 'm4.4xlarge', 'm4.16xlarge'].map((type) => iperf3(type, 1)),
    ...['m5.2xlarge', 'm5.24xlarge', 'c5.18xlarge'].map((type) => iperf3(type, 1)),
    ...['m4.16xlarge', 'm5.24xlarge', 'c5.18xlarge'].map((type) => iperf3(type, 5)),
    mixed('t2.medium', 'm5.2xlarge'),
    mixed('m5.2xlarge', 't2.medium'),
  ],
  'article-parallel-curl': [
    { measurement: { tool: 'tracepath' } },
    ...[1, 2, 3].map(http),
    ...[1, 2, 3, 4, 6, 8].map(s3('download', 'https')),
    ...[1, 2, 3, 4, 6, 8].map(s3('download', 'http')),
    ...[1, 2, 4, 6, 8, 12].map(s3('upload', 'https')),
    // Some of many uploads without TLS slowed down and lingered.
    { ...s3('upload', 'http')(1), times: 4 },
  ],
  'article-request-response-by-path': byPath,
  'article-ping-by-placement': pings,
};

const has = (whole: object, part: object = {}) =>
  Object.entries(part).every(([key, value]) => (whole as Readonly<Record<string, unknown>>)[key] === value);

describe.each(Object.entries(ARTICLES))('%s', (name, rows) => {
  const written: unknown = JSON.parse(readFileSync(path.join(__dirname, `../../examples/plans/${name}.json`), 'utf8'));
  const read = readPlan(written);
  const { prepared, problems } = preparePlan(read, offlineFacts(read));

  test('is accepted', () => {
    expect(problems).toEqual([]);
  });

  test.each(rows.map((row) => [JSON.stringify(row), row] as const))(
    'measures %s',
    (_, { pair, measurement, times = 1 }) => {
      const found = prepared!.pairs
        .filter((each) => has(each, pair))
        .flatMap(({ measurements }) => measurements.filter((each) => has(each, measurement)));
      expect(found.length).toBeGreaterThanOrEqual(times);
    },
  );
});
