/**
 * The labelled series behind the figures of `docs/reference/detector.md`. As a program, it prints the generated ones in the form of
 * the real recordings, for `compare-detectors.sh`: `npx tsx research/detection-sets.ts | gzip > GENERATED.jsonl.gz`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { assembleOutput } from '../domain/assembly/assemble-measurement';
import { parseToolOutput } from '../domain/tools/parse-tool-output';
import type { LabelledSeries } from '../test/support/prediction';
import { generateSeries } from '../test/support/series-generator';
import { SHORT_KINDS } from '../test/support/series-shapes';

/** This seed and those above it were never used to choose a parameter. */
const FIRST_SEED = 7001;
/** Number of generated series for each series of the public set, so that all kinds keep their weight. */
const LONG_PER_PUBLIC = 4;
const SHORT_PER_KIND = 24;

const FIXTURES = join(__dirname, '../test/fixtures');
const RECORDED = join(FIXTURES, 'real-buckets');
const RECORDED_ENDING = '.iperf3.json.gz';

export function publicSet(): LabelledSeries[] {
  return seriesOfFile(join(FIXTURES, 'detection/public.jsonl.gz'));
}

export function seriesOfFile(path: string): LabelledSeries[] {
  return linesOfFile(path);
}

/** One JSON value per line, compressed or not. */
export function linesOfFile<Line>(path: string): Line[] {
  return unpacked(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** Series of half an hour, each kind four times as often as in the public set. */
export function generatedLong(harshness: number, firstSeed = FIRST_SEED): LabelledSeries[] {
  const counts = new Map<string, number>();
  for (const { kind } of publicSet()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].flatMap(([kind, count]) => fromSeeds(kind, LONG_PER_PUBLIC * count, harshness, firstSeed));
}

/** Series of one to three minutes, every kind equally often. */
export function generatedShort(harshness: number, firstSeed = FIRST_SEED): LabelledSeries[] {
  return Object.keys(SHORT_KINDS).flatMap((kind) => fromSeeds(kind, SHORT_PER_KIND, harshness, firstSeed));
}

export function fromSeeds(kind: string, count: number, harshness: number, firstSeed: number): LabelledSeries[] {
  return Array.from({ length: count }, (_, index) => generateSeries(kind, firstSeed + index, harshness));
}

interface RecordedTruth {
  readonly name: string;
  readonly class: string;
  readonly accept: readonly string[];
  readonly throttled: boolean;
  readonly onsetSeconds?: number;
}

/** iperf3 over the lab's token buckets. The truth comes from the router's byte counters (research/record-buckets.py). */
export function recordedBuckets(): LabelledSeries[] {
  const truths = JSON.parse(readFileSync(join(RECORDED, 'truth.json'), 'utf8')) as readonly RecordedTruth[];
  const files = readdirSync(RECORDED).filter((file) => file.endsWith(RECORDED_ENDING));
  if (files.length !== truths.length) {
    throw new Error(`${RECORDED}: must hold one truth per recording, got ${truths.length} for ${files.length}`);
  }
  return truths.map(({ name, class: verdict, accept, throttled, onsetSeconds }) => {
    const { samples } = assembleOutput(parseToolOutput(unpacked(join(RECORDED, `${name}${RECORDED_ENDING}`))));
    const rates = samples.filter(({ metric, stream }) => metric === 'throughput' && stream === 'sum');
    return {
      id: name,
      kind: 'recorded',
      dt: 1,
      t: rates.map(({ startSeconds }) => startSeconds),
      bps: rates.map(({ throughputBitsPerSecond }) => throughputBitsPerSecond ?? NaN),
      truth: { verdict, accept, throttled, onset_s: onsetSeconds },
    };
  });
}

function unpacked(path: string): string {
  const bytes = new Uint8Array(readFileSync(path));
  return (path.endsWith('.gz') ? gunzipSync(bytes) : Buffer.from(bytes)).toString('utf8');
}

const COMPARED_SETS: Readonly<Record<string, () => readonly LabelledSeries[]>> = {
  'half an hour': () => generatedLong(1),
  'half an hour, noise × 2': () => generatedLong(2),
  'one to three minutes, noise × 2': () => generatedShort(2),
};

if (require.main === module) {
  for (const [set, series] of Object.entries(COMPARED_SETS)) {
    for (const { id, t, bps, dt, truth } of series()) {
      const { throttled, onset_s: onset } = truth;
      // JSON writes NaN, which is a missing sample, as null.
      console.log(JSON.stringify({ id: `${set} ${id}`, set, t, bps, dt, throttled, onset }));
    }
  }
}
