/**
 * A run over six instance types, made from real recordings: each one's series is a recording of that type on EC2
 * (`test/fixtures/real-world`), judged as the service judges a measurement. Several recordings of a type are its
 * repetitions. The prices are the list prices.
 */
import { pricesOf } from '../../domain/forecast/prices/price-table';
import { rateIntervals } from '../../domain/detection/prediction';
import { ascending, mean, nearestRank } from '../../domain/maths/statistics';
import type { PairCost } from '../../domain/model/cost';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import type { ReportInput } from '../../domain/run/report-input';
import { judgeThroughput } from '../../domain/verdict/judge';
import { pairCost } from './costs';
import { fixturePath, readLines } from './fixtures';
import { published, throttledResult } from './measurement-results';
import { reportInput } from './report-input';

/** Baseline and peak in Gbit/s, as AWS publishes them. */
const PUBLISHED_GIGABITS: Readonly<Record<string, readonly [baseline: number, peak: number]>> = {
  'c5.large': [0.75, 10],
  'c5.xlarge': [1.25, 10],
  'c5.2xlarge': [2.5, 10],
  'c5.4xlarge': [5, 10],
  'c6gd.2xlarge': [2.5, 10],
  'c6gd.4xlarge': [5, 10],
};

interface RecordedMeasurement {
  readonly result: MeasurementResult;
  readonly series: readonly Sample[];
}

/** One sample per `dt` seconds, in bits per second. */
interface Recording {
  readonly id: string;
  readonly set: string;
  readonly t: readonly number[];
  readonly dt: number;
  readonly bps: readonly number[];
}

const RECORDINGS = readLines<Recording>(fixturePath('real-world/series.jsonl.gz'));

/** Of `skyrise`, only the first burst began with full credits. */
const recordingsOf = (type: string) =>
  RECORDINGS.filter(
    ({ id, set }) => id.startsWith(`${type}-`) && (set === 'uta' || (set === 'skyrise' && id.endsWith('-part0'))),
  );

function recordedMeasurements(): RecordedMeasurement[] {
  let pairCount = 0;
  return Object.keys(PUBLISHED_GIGABITS).flatMap((type, planPairIndex) =>
    recordingsOf(type).map((recording, index) => {
      pairCount += 1;
      const pairId = `p${String(pairCount).padStart(4, '0')}`;
      return recordedMeasurement(recording, type, {
        pairId,
        measurementId: `${pairId}-m01`,
        planPairIndex,
        planMeasurementIndex: 0,
        repetition: index + 1,
      });
    }),
  );
}

function recordedMeasurement(
  recording: Recording,
  type: string,
  changes: Partial<MeasurementResult>,
): RecordedMeasurement {
  const [baseline = NaN, peak = NaN] = PUBLISHED_GIGABITS[type] ?? [];
  const facts = published(type, baseline * 1e9, peak * 1e9);
  const series = rateIntervals(recording);
  const durationSeconds = Math.round(recording.bps.length * recording.dt);
  const sorted = ascending(recording.bps);
  const result = throttledResult({
    ...changes,
    clientType: type,
    serverType: type,
    parallelStreams: 8,
    // The recordings end when the throttle was seen, so their lengths are no setting that differs.
    durationSeconds: 3600,
    stopAfterThrottledSeconds: 10,
    sampleCount: recording.bps.length,
    statistics: {
      throughputBitsPerSecond: {
        mean: mean(recording.bps),
        p5: nearestRank(sorted, 5),
        p50: nearestRank(sorted, 50),
        p95: nearestRank(sorted, 95),
        min: nearestRank(sorted, 0),
        max: nearestRank(sorted, 100),
      },
    },
    publishedClient: facts,
    publishedServer: facts,
    verdict: judgeThroughput({ direction: 'forward', series, sender: facts, receiver: facts, truncated: false }),
    warnings: [],
    startedAt: '2026-11-20T21:02:03.000Z',
    endedAt: new Date(Date.parse('2026-11-20T21:02:03.000Z') + durationSeconds * 1000).toISOString(),
  });
  return {
    result,
    series: recording.bps.map((throughputBitsPerSecond, index) => ({
      metric: 'throughput',
      hostRole: 'server',
      direction: 'forward',
      stream: 'sum',
      startSeconds: index * recording.dt,
      lengthSeconds: recording.dt,
      throughputBitsPerSecond,
    })),
  };
}

function recordedCost({ pairId, clientType, serverType }: MeasurementResult): PairCost {
  const { instanceUsdPerHour } = pricesOf('us-east-1').prices;
  return pairCost({
    pairId,
    clientHourlyUsd: instanceUsdPerHour[clientType] ?? null,
    serverHourlyUsd: instanceUsdPerHour[serverType] ?? null,
    warnings: [],
  });
}

/** The report's input for the six types. */
export function recordedInput(changes: Partial<ReportInput> = {}): ReportInput {
  const measurements = recordedMeasurements();
  const results = measurements.map(({ result }) => result);
  const { run, athena } = reportInput();
  return {
    run: {
      ...run,
      planName: 'Six types',
      outcome: 'complete',
      pairCount: results.length,
      measurementCount: results.length,
      expectedUsd: 4.2,
      upperUsd: 9.8,
      costUsd: 3.97,
    },
    results,
    seriesOf: new Map(measurements.map(({ result, series }) => [result.measurementId, series])),
    failedPairs: [],
    pairCosts: results.map(recordedCost),
    earlierRuns: [],
    athena,
    ...changes,
  };
}
