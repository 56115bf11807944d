/**
 * How often another instance of a type lies in the interval that is shown for the type's bucket:
 * `npx tsx research/pair-scatter.ts RECORDINGS.jsonl.gz …`. It reads the first bursts of EC2 instances (sets `uta` and
 * `skyrise`, whose recordings begin with full credits), and takes each instance of a type for the measured one in turn.
 */
import { existsSync } from 'node:fs';
import { intervalOfAnotherPair } from '../domain/maths/repetition-statistics';
import { groupBy } from '../domain/maths/elements';
import { ascending, nearestRank } from '../domain/maths/statistics';
import type { Verdict } from '../domain/model/verdict';
import { figureByKey } from '../domain/tables/figures';
import { judgeThroughput } from '../domain/verdict/judge';
import { rateIntervals } from '../domain/detection/prediction';
import { published } from '../test/support/measurement-results';
import { linesOfFile } from './detection-sets';

interface Recording {
  readonly id: string;
  readonly set?: string;
  readonly throttled?: boolean;
  readonly dt: number;
  readonly t: readonly number[];
  readonly bps: readonly number[];
}

const paths = process.argv.slice(2);
const absent = paths.filter((path) => !existsSync(path));
if (paths.length === 0 || absent.length > 0) {
  console.error(
    `recordings: must be paths of .jsonl.gz files, ${paths.length === 0 ? 'got none' : `absent: ${absent.join(', ')}`}`,
  );
  process.exit(1);
}

const typeOf = ({ id }: Recording) => /c\d[a-z]*\.[a-z0-9]+/.exec(id)?.[0];
const isFirstBurst = ({ id, set }: Recording) => set === 'uta' || (set === 'skyrise' && id.endsWith('part0'));

/** Baseline in Gbit/s, as AWS publishes it; the peak is 10. */
const PUBLISHED_GIGABITS: Readonly<Record<string, number>> = {
  medium: 0.5,
  large: 0.75,
  xlarge: 1.25,
  '2xlarge': 2.5,
  '4xlarge': 5,
};

function verdictOf(recording: Recording): Verdict {
  const type = typeOf(recording) ?? '';
  const facts = published(type, 1e9 * (PUBLISHED_GIGABITS[type.split('.')[1] ?? ''] ?? NaN), 10e9);
  const series = rateIntervals(recording);
  return judgeThroughput({ direction: 'forward', series, sender: facts, receiver: facts, truncated: false });
}

const recordings = paths.flatMap((path) => linesOfFile<Recording>(path)).filter(isFirstBurst);
const judged = recordings.map((recording) => ({ type: typeOf(recording), verdict: verdictOf(recording) }));
const byType = [...groupBy(judged, ({ type }) => type).values()];
const isWithin = (value: number, bounds?: { low: number; high: number }) =>
  bounds !== undefined && value >= bounds.low && value <= bounds.high;

console.log(`${recordings.length} first bursts of ${byType.length} types\n`);
for (const [key, valueOf] of [
  ['bucketBits', ({ bucket }: Verdict) => bucket],
  ['baselineBitsPerSecond', ({ baseline }: Verdict) => baseline],
  ['burstBitsPerSecond', ({ burst }: Verdict) => burst],
  ['onsetSeconds', ({ onset }: Verdict) => onset],
] as const) {
  const pairs = byType.flatMap((same) =>
    same.flatMap((one) =>
      same.flatMap((other) => {
        const [measured, another] = [valueOf(one.verdict), valueOf(other.verdict)];
        return one === other || measured === null || another === null ? [] : [{ measured, another }];
      }),
    ),
  );
  const fit = pairs.filter(({ measured, another }) => isWithin(another.value, measured)).length;
  const shown = pairs.filter(({ measured: { value }, another }) =>
    isWithin(another.value, intervalOfAnotherPair({ mean: value, count: 1, min: value, max: value }, figureByKey(key))),
  ).length;
  const ratios = ascending(
    pairs.map(({ measured, another }) => Math.exp(Math.abs(Math.log(another.value / measured.value)))),
  );
  console.log(
    `${figureByKey(key).name}: of ${pairs.length} ordered pairs ${fit} in the interval of the fit, ${shown} in that of another pair; ` +
      (ratios.length === 0 ? 'no ratio' : `95 % within a factor of ${nearestRank(ratios, 95).toFixed(3)}`),
  );
}
