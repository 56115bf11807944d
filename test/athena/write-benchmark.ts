/**
 * Writes the public detection benchmark as rows of a run, one measurement per series, judged and written by the
 * product: `tsx write-benchmark.ts FOLDER DAY`.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { MeasurementResult } from '../../domain/model/result';
import type { Sample } from '../../domain/model/sample';
import { throughputQuantiles } from '../../domain/assembly/throughput-statistics';
import { judgeMeasurement } from '../../domain/analysis/judge-measurement';
import { fixturePath } from '../support/fixtures';
import { published, throttledResult } from '../support/measurement-results';
import type { LabelledSeries } from '../support/prediction';
import { rowWriter, writeFoldedRun } from '../support/table-rows';

const RUN_ID = 'detection-benchmark';
/** Before any run of the lab: "the newest measurement" is not one of these. */
const STARTED_AT = '2026-01-01T00:00:00.000Z';

type BenchmarkSeries = LabelledSeries & { readonly truth: { readonly profile: string } };

function benchmark(): BenchmarkSeries[] {
  const text = gunzipSync(new Uint8Array(readFileSync(fixturePath('detection/public.jsonl.gz')))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BenchmarkSeries);
}

function samplesOf(series: BenchmarkSeries): Sample[] {
  return series.t.map((startSeconds, index) => ({
    metric: 'throughput',
    hostRole: 'server',
    direction: 'forward',
    stream: 'sum',
    startSeconds,
    lengthSeconds: series.dt ?? 1,
    throughputBitsPerSecond: series.bps[index]!,
  }));
}

function resultOf(series: BenchmarkSeries, samples: readonly Sample[], index: number): MeasurementResult {
  const statistics = { throughputBitsPerSecond: throughputQuantiles(samples) };
  const { burst_bps: burst, baseline_bps: baseline, profile } = series.truth;
  const facts =
    burst === undefined || baseline === undefined ? undefined : published(profile, Math.round(baseline), burst);
  return throttledResult({
    runId: RUN_ID,
    planName: 'Detection benchmark',
    pairId: series.id,
    measurementId: `${series.id}-m01`,
    parallelStreams: 1,
    durationSeconds: Math.round(series.t.at(-1)! - series.t[0]!) + 1,
    clientType: profile,
    serverType: profile,
    startedAt: STARTED_AT,
    endedAt: undefined,
    sampleCount: samples.length,
    statistics,
    verdict: judgeMeasurement({ samples, statistics, complete: true, warnings: [] }, { flowCount: 1, truncated: false })
      .verdict,
    publishedClient: facts,
    // Of every second measurement only one end is published, as on AWS.
    publishedServer: index % 2 === 0 ? facts : undefined,
    warnings: [],
  });
}

const [folder, day] = process.argv.slice(2) as [string, string];
writeFoldedRun(
  rowWriter(folder, { compressed: true }),
  day,
  RUN_ID,
  benchmark().map((series, index) => {
    const samples = samplesOf(series);
    return { result: resultOf(series, samples, index), samples };
  }),
);
