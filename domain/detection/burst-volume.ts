/**
 * The account of a token bucket that is full when the load begins: traffic above the baseline spends credits, rests earn
 * them, and what is earned above full is lost. Assumption that may fail: a load under the baseline earns nothing.
 */
import { numberAt } from '../maths/elements';
import { mean } from '../maths/statistics';
import type { CleanSeries, TimeSpan } from '../series/rate-series';
import type { LoadStretch, ShapeSegment } from './series-shape';

type Level = Pick<ShapeSegment, 'startSeconds' | 'bitsPerSecond'>;

/** In bits. */
interface Account {
  /** What was spent and is not earned back yet. */
  readonly spentBits: number;
  /** The most that this was, at the end or before a rest: the credits hold at least so much. */
  readonly mostSpentBits: number;
}

/** Rates are known within a few percent, so that a maximum within them contradicts nothing. */
const TOLERANCE = 1.05;

/** @param earnedAtRest what a rest earns, as a multiple of the baseline */
export function accountOf(load: readonly LoadStretch[], baselineBitsPerSecond: number, earnedAtRest = 1): Account {
  let spent = 0;
  let mostBeforeRest = 0;
  for (const { seconds, bitsPerSecond, isRest } of load) {
    if (isRest) mostBeforeRest = Math.max(mostBeforeRest, spent);
    spent = isRest
      ? Math.max(0, spent - earnedAtRest * baselineBitsPerSecond * seconds)
      : spent + Math.max(0, bitsPerSecond - baselineBitsPerSecond) * seconds;
  }
  return { spentBits: spent, mostSpentBits: Math.max(mostBeforeRest, spent) };
}

/**
 * The volume, in bits, of a bucket that ran out at the end of a load. null where more had been spent before a rest, so
 * that the bucket cannot have run out at the end: the rests earned back what would show its volume.
 */
export function emptiedBits(load: readonly LoadStretch[], baselineBitsPerSecond: number): number | null {
  const { spentBits, mostSpentBits } = accountOf(load, baselineBitsPerSecond);
  return mostSpentBits > TOLERANCE * spentBits ? null : mostSpentBits;
}

/**
 * The load until a fall, level by level, because a burst that first shared its path spent less than its last level
 * would have. The level, a robust mean, also counts for the seconds that are missing. Beside rests it is what was
 * sent, because the few samples that a rest cuts off from a level are outliers to the level but not to the account.
 *
 * @param levels each lasts until the next one begins, the last one until the fall
 */
export function loadUntil(
  onsetSeconds: number,
  levels: readonly Level[],
  rests: readonly TimeSpan[],
  clean: CleanSeries,
): LoadStretch[] {
  const load: LoadStretch[] = [];
  levels.forEach(({ startSeconds, bitsPerSecond }, index) => {
    const to = Math.min(levels[index + 1]?.startSeconds ?? onsetSeconds, onsetSeconds);
    let from = index === 0 ? clean.loadStartSeconds : startSeconds;
    const addLoad = (until: number) => {
      if (until <= from) return;
      const sent = rests.length === 0 ? bitsPerSecond : (meanBetween(clean, from, until) ?? bitsPerSecond);
      load.push({ seconds: until - from, bitsPerSecond: sent, isRest: false });
      from = until;
    };
    for (const rest of rests) {
      const until = Math.min(rest.endSeconds, to);
      if (until <= from || rest.startSeconds >= to) continue;
      addLoad(rest.startSeconds);
      load.push({ seconds: until - from, bitsPerSecond: 0, isRest: true });
      from = until;
    }
    addLoad(to);
  });
  return load;
}

/** The mean of the samples within a time; null without one. */
function meanBetween({ startSeconds, bitsPerSecond, binSeconds }: CleanSeries, from: number, to: number) {
  const slack = binSeconds / 4;
  const inside = bitsPerSecond.filter((_, index) => {
    const start = numberAt(startSeconds, index);
    return start >= from - slack && start + binSeconds <= to + slack;
  });
  return inside.length === 0 ? null : mean(inside);
}
