/** A made-up run with one measurement of each kind, in the form in which summarise-run passes it to the report. */
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import type { ThroughputStatistics } from '../../domain/model/statistics';
import { cellOf } from '../../domain/model/cell';
import * as report from '../../domain/report/render-report';
import { compareCells, compareRuns } from '../../domain/run/comparison';
import { earlierRunsCells } from '../../domain/run/earlier-runs';
import type { ReportInput } from '../../domain/run/report-input';
import {
  addressMatrix,
  loadedResult,
  loadedSeries,
  notApplicableResult,
  pathMatrix,
  placementMatrix,
  routeResult,
  transferMatrix,
  typeMatrix,
} from './compared-results';
import {
  bidirectionalResult,
  DAY,
  failedResult,
  host,
  latencyResult,
  RUN_ID,
  steadyResult,
  throttledResult,
  throttledSeries,
} from './measurement-results';
import { PAGE_SCRIPT } from './page-markup';

/** A series at one level with a small wobble. */
function levelSeries(
  bitsPerSecond: number,
  durationSeconds: number,
  direction: Sample['direction'] = 'forward',
): Sample[] {
  return Array.from({ length: durationSeconds }, (_, second) => ({
    metric: 'throughput',
    hostRole: 'server',
    direction,
    stream: 'sum',
    startSeconds: second,
    lengthSeconds: 1,
    throughputBitsPerSecond: bitsPerSecond * (1 + 0.012 * Math.sin(second * 12.9898) * Math.cos(second * 4.1414)),
  }));
}

const QUANTILES = { p25: 680, p50: 696, p75: 712, p90: 741, p95: 780, p99: 1002, p99_9: 2210, p99_99: 5120 } as const;

export function reportInput(changes: Partial<ReportInput> = {}): ReportInput {
  const slowLatency = latencyResult({
    pairId: 'p0002',
    measurementId: 'p0002-m01',
    clientType: 'c5.9xlarge',
    zoneRelation: 'other_zone',
    server: host('i-0bbbbbbbbbbbbbbb2', 'eu-central-1b', 12),
  });
  const truncated = throttledResult({
    pairId: 'p0004',
    measurementId: 'p0004-m02',
    status: 'truncated',
    reason: 'client host i-0aaaaaaaaaaaaaaa1 was terminated after 118 s',
  });
  return {
    run: {
      runId: RUN_ID,
      planName: 'Burst of c5',
      outcome: 'incomplete',
      day: DAY,
      createdAt: '2026-11-20T21:00:00.000Z',
      endedAt: '2026-11-20T21:09:41.120Z',
      pairCount: 4,
      measurementCount: 7,
      repetitions: 1,
      concurrency: 4,
    },
    results: [
      latencyResult(),
      throttledResult(),
      {
        ...slowLatency,
        statistics: {
          rttMicros: { ...QUANTILES, mean: 702, min: 655, max: 9876 },
          observations: 42_718,
          droppedMessages: 0,
        },
      },
      steadyResult(),
      bidirectionalResult(),
      failedResult(),
      truncated,
    ],
    seriesOf: new Map<string, readonly Sample[]>([
      ['p0001-m02', throttledSeries()],
      ['p0002-m02', levelSeries(9.48e9, 180)],
      ['p0002-m03', [...levelSeries(3.98e9, 180), ...levelSeries(3.58e9, 180, 'reverse')]],
      ['p0004-m02', throttledSeries(118).filter(({ startSeconds }) => startSeconds < 80 || startSeconds > 84)],
    ]),
    failedPairs: [
      { pairId: 'p0003', reason: 'p0003-m02: iperf3: error - unable to connect to server: Connection refused' },
      { pairId: 'p0004', reason: 'p0004-m02: client host i-0aaaaaaaaaaaaaaa1 was terminated after 118 s' },
    ],
    earlierRuns: compareCells(earlierRunsCells(earlierRows()), [throttledResult(), latencyResult()]).compared,
    athena: { database: 'network_benchmark', workGroup: 'network-benchmark' },
    ...changes,
  };
}

/** The report with the script that a deployment would have. */
export const renderReport = (input: ReportInput) => report.renderReport(input, PAGE_SCRIPT);

/** The page of these results alone, without series and without a comparison. */
export const pageOf = (results: readonly MeasurementResult[], changes: Partial<ReportInput> = {}): string =>
  renderReport(reportInput({ results, seriesOf: new Map(), failedPairs: [], earlierRuns: [], ...changes }));

/** All that plans compare as one run, so that every chart and every section has something to show. */
export function comparedInput(changes: Partial<ReportInput> = {}): ReportInput {
  const results = [
    ...addressMatrix(),
    ...placementMatrix(),
    ...typeMatrix(),
    ...pathMatrix(),
    ...transferMatrix(),
    loadedResult({ planPairIndex: 90 }),
    routeResult({ planPairIndex: 91 }),
    notApplicableResult('a cluster placement group is within one zone', { planPairIndex: 92 }),
    notApplicableResult('a cluster placement group is within one zone', {
      planPairIndex: 93,
      pairId: 'p0702',
      measurementId: 'p0702-m01',
      enaExpress: 'both',
    }),
  ];
  const { run, athena } = reportInput();
  return {
    run: {
      ...run,
      planName: 'All comparisons',
      outcome: 'complete',
      pairCount: results.length,
      measurementCount: results.length,
      repetitions: 3,
      order: 'random',
      seed: 1_804_289_383,
      expectedUsd: 0.42,
      upperUsd: 1.337,
    },
    results,
    seriesOf: new Map([['p0601-m01', loadedSeries()]]),
    failedPairs: [],
    earlierRuns: [],
    comparedRun: compareRuns('all-articles-20261101', earlierResults(), results),
    athena,
    ...changes,
  };
}

/** The same plan some weeks earlier, with less throughput over the peering and without the uploads. */
function earlierResults(): MeasurementResult[] {
  const slower = (result: MeasurementResult): MeasurementResult => {
    const { throughputBitsPerSecond: rates } = result.statistics as ThroughputStatistics;
    return result.path === 'peering' && rates !== undefined
      ? { ...result, statistics: { throughputBitsPerSecond: { ...rates, mean: rates.mean * 0.96 } } }
      : result;
  };
  return [
    ...pathMatrix(8).map(slower),
    ...typeMatrix(),
    ...transferMatrix().filter(({ mode }) => mode !== 'upload'),
    loadedResult(),
    routeResult({ path: 'peering' }),
  ];
}

/** Athena's rows of earlier runs: four throttled measurements and one of round trips. */
function earlierRows(): Record<string, string>[] {
  return [
    {
      cell: cellOf(throttledResult()),
      earlier_count: '4',
      pair_count: '4',
      first_day: '2026-10-02',
      last_day: '2026-11-18',
      throughput_mean_bits_per_second: '3.9E9 3.91E9 3.92E9 3.91E9',
      burst_bits_per_second: '9.5E9 9.49E9 9.51E9 9.5E9',
      baseline_bits_per_second: '1.24E9 1.24E9 1.25E9 1.23E9',
      onset_seconds: '57.8 57.6 58.1 57.7',
    },
    {
      cell: cellOf(latencyResult()),
      earlier_count: '1',
      pair_count: '1',
      first_day: '2026-11-18',
      last_day: '2026-11-18',
      rtt_p50_micros: '120.2',
      rtt_p99_micros: '190.8',
    },
  ];
}
