/**
 * Prints what the tables of `docs/reference/detector.md` add up or leave out, on series from seeds that nobody has tuned on:
 * intervals of the onset by kind of series, duty cycles that run empty, late dips, and the time per series.
 *   npx tsx research/detection-stress.ts --seed 90001 [--cycles 400]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { groupBy } from '../domain/maths/elements';
import { ascending, median, quantileOfSorted } from '../domain/maths/statistics';
import { columnTable } from '../domain/text/text-table';
import { judgeThroughput } from '../domain/verdict/judge';
import { facts, GIGA } from '../test/support/evidence';
import { predict, type LabelledSeries } from '../test/support/prediction';
import {
  cyclesThatRunEmpty,
  isDecidable,
  type CycleTruth,
  type SimulatedCycles,
} from '../test/support/simulated-cycles';
import { fromSeeds, generatedLong, generatedShort } from './detection-sets';

const UNDERSHOOTS_PER_KIND = 300;
const DIPS_BEFORE = 100;
const LATE_DIPS = 400;
/** How far the onset and the volume of a duty cycle may be off. */
const CYCLE_TOLERANCE = { onsetSeconds: 1, bucketRatio: 0.1 } as const;

function main(): void {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, cycles: { type: 'string', default: '400' } } });
  const firstSeed = wholeNumber('--seed', values.seed);
  const [long, short] = [generatedLong(1, firstSeed), generatedShort(1, firstSeed)];
  const edges = [
    ...fromSeeds('edge_undershoot', UNDERSHOOTS_PER_KIND, 1, firstSeed),
    ...fromSeeds('edge_recovery', UNDERSHOOTS_PER_KIND, 1, firstSeed),
    ...fromSeeds('edge_dip_before', DIPS_BEFORE, 1, firstSeed),
  ];
  console.log(`${onsetTable([...long, ...short, ...edges])}\n`);
  console.log(`${cycleTable(firstSeed, wholeNumber('--cycles', values.cycles))}\n`);
  for (const harshness of [1, 2]) {
    const dips = fromSeeds('late_dip', LATE_DIPS, harshness, firstSeed);
    const throttled = dips.filter((series) => predict(series).throttled).map(({ id }) => id);
    const which = throttled.length === 0 ? '' : `: ${throttled.join(', ')}`;
    console.log(`late dips, noise × ${harshness}: ${throttled.length} of ${LATE_DIPS} called throttled${which}`);
  }
  console.log(`\nhalf an hour: ${detectorTimes(long)}`);
  console.log(`one to three minutes: ${detectorTimes(short)}`);
}

function wholeNumber(option: string, text: string | undefined): number {
  const value = Number(text);
  if (text === undefined || !Number.isInteger(value) || value < 1) {
    throw new Error(`${option}: must be a whole number from 1 on, got ${text ?? 'none'}`);
  }
  return value;
}

interface FoundOnset {
  readonly isCovered: boolean;
  readonly widthSeconds: number;
  readonly errorSeconds: number;
}

interface OnsetRow {
  readonly name: string;
  readonly seriesCount: number;
  readonly found: readonly FoundOnset[];
}

/** A row for each kind of throttled series, and one for all of them. */
function onsetTable(all: readonly LabelledSeries[]): string {
  const throttled = all.filter(({ truth }) => truth.throttled);
  const byKind = groupBy(throttled, ({ kind }) => kind);
  const rows = [...byKind, ['all of them', throttled] as const].map(([name, series]): OnsetRow => {
    return { name, seriesCount: series.length, found: series.flatMap(foundOnset) };
  });
  const medianOf = (figure: 'widthSeconds' | 'errorSeconds', { found }: OnsetRow) =>
    median(found.map((one) => one[figure])).toFixed(3);
  return columnTable<OnsetRow>(
    [
      { heading: 'kind', cell: ({ name }) => name },
      { heading: 'series', alignRight: true, cell: ({ seriesCount }) => String(seriesCount) },
      { heading: 'missed', alignRight: true, cell: ({ seriesCount, found }) => String(seriesCount - found.length) },
      {
        heading: 'interval covers',
        alignRight: true,
        cell: ({ found }) => (found.filter(({ isCovered }) => isCovered).length / found.length).toFixed(3),
      },
      { heading: 'median width s', alignRight: true, cell: (row) => medianOf('widthSeconds', row) },
      { heading: 'median error s', alignRight: true, cell: (row) => medianOf('errorSeconds', row) },
    ],
    rows,
  );
}

/** None where the throttle was missed. */
function foundOnset(series: LabelledSeries): FoundOnset[] {
  const { onset_s: onset, onset_lo: low, onset_hi: high } = predict(series);
  const { onset_s: truth } = series.truth;
  if (onset === null || low === null || high === null || truth === undefined) return [];
  return [
    { isCovered: low <= truth && truth <= high, widthSeconds: high - low, errorSeconds: Math.abs(onset - truth) },
  ];
}

interface CycleRow {
  readonly name: string;
  readonly wrong: readonly string[];
}

function cycleTable(firstSeed: number, count: number): string {
  const made = Array.from({ length: count }, (_, index) => cyclesThatRunEmpty(firstSeed + index));
  const judged = made.flatMap((each) =>
    each.truth && isDecidable(each, each.truth) ? [judgeCycles(each, each.truth)] : [],
  );
  const idsWith = (fault: keyof CycleFaults) => judged.filter((one) => one.faults[fault]).map(({ said }) => said);
  const rows: CycleRow[] = [
    { name: 'kind', wrong: idsWith('kind') },
    { name: 'cause', wrong: idsWith('cause') },
    { name: `onset, by more than ${CYCLE_TOLERANCE.onsetSeconds} s`, wrong: idsWith('onset') },
    { name: `volume, by more than ${100 * CYCLE_TOLERANCE.bucketRatio} %`, wrong: idsWith('bucket') },
  ];
  const table = columnTable<CycleRow>(
    [
      { heading: `wrong, of ${judged.length} duty cycles that run empty`, cell: ({ name }) => name },
      { heading: 'series', alignRight: true, cell: ({ wrong }) => String(wrong.length) },
    ],
    rows,
  );
  return [table, ...new Set(rows.flatMap(({ wrong }) => wrong))].join('\n');
}

type CycleFaults = Readonly<Record<'kind' | 'cause' | 'onset' | 'bucket', boolean>>;

/** A fall in the last run is that of a burst, whatever the pauses before it. */
const RIGHT_KINDS: readonly string[] = ['cycle', 'drop'];

function judgeCycles(
  { name, dutyCycle, series }: SimulatedCycles,
  truth: CycleTruth,
): { said: string; faults: CycleFaults } {
  const { burstBitsPerSecond: burst, baselineBitsPerSecond: baseline } = truth;
  const sender = facts('c5.xlarge', baseline / GIGA, burst / GIGA);
  const evidence = { direction: 'forward', series, dutyCycle, sender, truncated: false } as const;
  const { kind, cause, onset, bucket } = judgeThroughput(evidence);
  const bucketRatio = bucket === null ? NaN : bucket.value / truth.bucketBits;
  return {
    said:
      `${name}: ${kind}, ${cause}, ` +
      `onset ${onset?.value.toFixed(1) ?? 'none'} of ${truth.onsetSeconds.toFixed(1)} s, volume ${bucketRatio.toFixed(2)} of the truth`,
    faults: {
      kind: !RIGHT_KINDS.includes(kind),
      cause: cause !== 'network_credits',
      onset: onset === null || Math.abs(onset.value - truth.onsetSeconds) > CYCLE_TOLERANCE.onsetSeconds,
      bucket: !(Math.abs(bucketRatio - 1) <= CYCLE_TOLERANCE.bucketRatio),
    },
  };
}

/**
 * Milliseconds at the median and at the 95th percentile of `analyse --series`, as the bundle that users run: code from a
 * loader is slower.
 */
function detectorTimes(series: readonly LabelledSeries[]): string {
  const sorted = ascending(millisecondsOf(series.map((one) => JSON.stringify(one))));
  const [median, p95] = [0.5, 0.95].map((p) => quantileOfSorted(sorted, p).toFixed(2));
  return `${sorted.length} series: ${median} ms at the median, ${p95} ms at the 95th percentile`;
}

function millisecondsOf(lines: readonly string[]): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'detector-times-'));
  try {
    const file = join(folder, 'series.jsonl');
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    const options = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
    const run = spawnSync('bash', [join(__dirname, '../scripts/analyse.sh'), '--series', file], options);
    if (run.status !== 0) throw new Error(`analyse --series: must succeed, got exit code ${run.status}: ${run.stderr}`);
    const predictions = run.stdout.trimEnd().split('\n');
    return predictions.map((line) => (JSON.parse(line) as { ms: number }).ms);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

main();
