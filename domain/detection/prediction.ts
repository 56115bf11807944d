/** A series and the detector's answer in the fields of the detection benchmark, by which detectors can be compared. */
import { elementAt, numberAt, zip } from '../maths/elements';
import type { RateInterval } from '../series/rate-series';
import type { SeriesShape } from './series-shape';
import { median } from '../maths/statistics';
import type { VerdictKind } from '../model/verdict';
import { counted, formatSeconds } from '../text/format';

export interface RateSeries {
  readonly id: string | number;
  /** When each sample begins, in seconds. */
  readonly t: readonly number[];
  /** NaN for a missing sample. */
  readonly bps: readonly number[];
  /** Length of a sample in seconds; by default the usual distance between two samples. */
  readonly dt?: number;
}

export interface Prediction {
  readonly id: string | number;
  readonly kind: VerdictKind;
  readonly throttled: boolean;
  readonly onset_s: number | null;
  readonly onset_lo: number | null;
  readonly onset_hi: number | null;
  readonly burst_bps: number | null;
  readonly baseline_bps: number | null;
  readonly capacity_bits: number | null;
  /** 0 to 1; null for `insufficient`, which claims nothing. */
  readonly confidence: number | null;
  /** Properties of the series that may make the answer wrong. */
  readonly warnings: readonly string[];
}

export function rateIntervals(series: RateSeries): RateInterval[] {
  const lengthSeconds = series.dt ?? usualDistance(series.t) ?? 1;
  return zip(series.t, series.bps).map(([startSeconds, bitsPerSecond]) => ({
    startSeconds,
    lengthSeconds,
    bitsPerSecond,
  }));
}

/** The usual distance of samples; undefined for a single one, whose length no verdict depends on. */
function usualDistance(times: readonly number[]): number | undefined {
  const sorted = Float64Array.from(times.filter((time) => Number.isFinite(time))).sort();
  const distances = sorted.subarray(1).map((time, index) => time - numberAt(sorted, index));
  const apart = distances.filter((distance) => distance > 0);
  // Differences of decimal seconds have binary rounding errors.
  return apart.length === 0 ? undefined : Number(median(apart).toPrecision(9));
}

export function predictionOf(
  id: RateSeries['id'],
  { kind, throttle, confidence }: SeriesShape,
  warnings: readonly string[] = [],
): Prediction {
  return {
    id,
    kind,
    throttled: throttle !== null,
    onset_s: throttle?.onset.value ?? null,
    onset_lo: throttle?.onset.low ?? null,
    onset_hi: throttle?.onset.high ?? null,
    burst_bps: throttle?.burstBitsPerSecond ?? null,
    baseline_bps: throttle?.baselineBitsPerSecond ?? null,
    capacity_bits: throttle?.bucketBits ?? null,
    confidence: confidence && Number(confidence.toFixed(2)),
    warnings,
  };
}

/**
 * Faults in the times of a series from outside. A clock in another unit, or one that was set back, makes the verdict
 * wrong but leaves no trace in the rates.
 *
 * | times                                                      | the series is                     |
 * | ---------------------------------------------------------- | --------------------------------- |
 * | from 100 000 000 000 on                                    | refused: Unix milliseconds        |
 * | with a `dt`, and about 1,000 times as far apart as it says | refused: milliseconds             |
 * | without a `dt`, and 100 or more apart                      | judged as seconds, warned         |
 * | going back in a few places                                 | judged in order, warned           |
 * | with samples that have the time of another one             | judged without them, warned       |
 * | without a sample for three minutes or more                 | judged as if load went on, warned |
 */

/** The year 5138 in seconds, and 1973 in milliseconds. */
const UNIX_MILLISECONDS = 1e11;
const MILLISECONDS = 1000;
/** Times are milliseconds only if they are 1,000 times as far apart as the `dt` says, within this factor. */
const ABOUT = 2;
/** Times this far apart are suspect: few tools report only every 100 seconds, and many every 100 milliseconds. */
const RARE_SECONDS = 100;
/** A clock that was set back shows in few steps; a series in another order goes back in most of them. */
const FEW_STEPS_BACK = 0.1;
/** Two samples have the same time if they are closer than this share of the usual distance. */
const SAME_TIME = 0.25;
const LONG_GAP_SECONDS = 180;

/** Why the times can't be seconds; null if they may be. */
export function timeFault({ t, dt }: RateSeries): string | null {
  const first = t.find(Number.isFinite);
  const distance = usualDistance(t);
  const remedy = 'divide the times by 1,000';
  if (first !== undefined && first >= UNIX_MILLISECONDS) {
    return `must be seconds, got ${first}, which is Unix time in milliseconds; ${remedy}`;
  }
  if (dt === undefined || distance === undefined) return null;
  const ratio = distance / dt / MILLISECONDS;
  if (ratio < 1 / ABOUT || ratio > ABOUT) return null;
  return `must be seconds, got times that are ${distance} apart with a dt of ${dt} s, which are milliseconds; ${remedy}`;
}

export function seriesWarnings(series: RateSeries): string[] {
  const distance = usualDistance(series.t) ?? 1;
  return [unitWarning(series, distance), clockWarning(series), ...sampleWarnings(series, distance)].filter(
    (warning) => warning !== null,
  );
}

function unitWarning({ dt }: RateSeries, distance: number): string | null {
  if (dt !== undefined || distance < RARE_SECONDS) return null;
  return (
    `the times are ${distance} apart and are read as seconds; if they are milliseconds, divide them by 1,000: onset and ` +
    'bucket are 1,000 times too large otherwise (a dt says how many seconds a sample is long)'
  );
}

function clockWarning({ t }: RateSeries): string | null {
  const times = t.filter(Number.isFinite);
  const back = times.flatMap((time, index) => (index > 0 && time < elementAt(times, index - 1) ? [index] : []));
  const [first] = back;
  if (first === undefined || back.length > Math.max(1, FEW_STEPS_BACK * times.length)) return null;
  const [before, after] = [elementAt(times, first - 1), elementAt(times, first)];
  return (
    `the times go back ${counted(back.length, 'time')}, first from ${before} to ${after} s; the samples are judged in the ` +
    'order of their times, which is not the order in which they were measured'
  );
}

function sampleWarnings({ t, bps, dt }: RateSeries, distance: number): (string | null)[] {
  const used = t.filter((time, index) => Number.isFinite(time) && elementAt(bps, index) >= 0);
  const sorted = Float64Array.from(used).sort();
  const steps = sorted.subarray(1).map((time, index) => time - numberAt(sorted, index));
  const repeated = steps.filter((step) => step < SAME_TIME * distance).length;
  const negative = bps.filter((rate) => rate < 0).length;
  const longest = steps.reduce((best, step, index) => (step > numberAt(steps, best) ? index : best), 0);
  const gapFrom = (sorted[longest] ?? 0) + (dt ?? distance);
  const gapSeconds = (sorted[longest + 1] ?? 0) - gapFrom;
  return [
    repeated === 0 ? null : `${counted(repeated, 'sample')} with the time of another one left out`,
    negative === 0 ? null : `${counted(negative, 'sample')} with a rate below 0 left out`,
    gapSeconds < LONG_GAP_SECONDS
      ? null
      : `no sample for ${formatSeconds(gapSeconds)} from ${gapFrom} s on; unless the rates beside it show a rest, the load ` +
        'is taken to have gone on, and a bucket is too large if it did not',
  ];
}
