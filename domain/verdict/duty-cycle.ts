/**
 * A duty cycle: load for so long, silence for so long, again and again. The detector looks at the time under load
 * alone: in the pauses nothing was offered, so they are neither a throttle nor samples. The credits go on being earned
 * in them.
 */
import type { SeriesShape } from '../detection/series-shape';
import type { DutyCycle } from '../model/settings';
import type { ThroughputEvidence } from './evidence';
import { formatSeconds } from '../text/format';

/** A run begins on the beat of the first, give or take what starting a program takes. */
const START_TOLERANCE_SECONDS = 0.5;
/** A run that gets this share of the burst in any of its seconds reached it. */
const REACHED_SHARE = 0.9;

/** Time under load before an instant of the measurement; undefined within a pause. */
function loadSeconds({ onSeconds, offSeconds }: DutyCycle, seconds: number): number | undefined {
  const run = Math.max(0, Math.floor((seconds + START_TOLERANCE_SECONDS) / (onSeconds + offSeconds)));
  const within = Math.max(0, seconds - run * (onSeconds + offSeconds));
  return within < onSeconds ? run * onSeconds + within : undefined;
}

/** When so much time under load had passed. */
export function measuredSeconds({ onSeconds, offSeconds }: DutyCycle, underLoad: number): number {
  return underLoad + pausedSeconds({ onSeconds, offSeconds }, underLoad);
}

function pausedSeconds({ onSeconds, offSeconds }: DutyCycle, underLoad: number): number {
  return Math.floor(underLoad / onSeconds) * offSeconds;
}

/** The evidence on the axis of the time under load; what was counted in the pauses is not of the load. */
export function underLoad(evidence: ThroughputEvidence, cycle: DutyCycle): ThroughputEvidence {
  const moved = <Item extends { readonly startSeconds: number }>(items: readonly Item[]): Item[] =>
    items.flatMap((item) => {
      const startSeconds = loadSeconds(cycle, item.startSeconds);
      return startSeconds === undefined ? [] : [{ ...item, startSeconds }];
    });
  return {
    ...evidence,
    series: moved(evidence.series),
    allowance: evidence.allowance && moved(evidence.allowance),
    retransmits: evidence.retransmits && moved(evidence.retransmits),
  };
}

/** Earned in the pauses before the onset, and spent like the rest: it is no part of what the bucket held at first. */
export function earnedInPausesBits(shape: SeriesShape, cycle: DutyCycle): number {
  if (!shape.throttle) return 0;
  return shape.throttle.baselineBitsPerSecond * pausedSeconds(cycle, shape.throttle.onset.value);
}

/** In words: what the cycle was, when the throttle came on its time axis, and how many runs reached the burst. */
export function describeDutyCycle(shape: SeriesShape, series: ThroughputEvidence['series'], cycle: DutyCycle): string {
  const { onSeconds, offSeconds } = cycle;
  const what = `duty cycle of ${onSeconds} s on and ${offSeconds} s off`;
  const burst = shape.throttle?.burstBitsPerSecond ?? shape.typicalBitsPerSecond;
  if (burst === null) return what;
  const highest = new Map<number, number>();
  for (const { startSeconds, bitsPerSecond } of series) {
    const run = Math.floor(startSeconds / onSeconds);
    highest.set(run, Math.max(highest.get(run) ?? 0, bitsPerSecond));
  }
  const reached = [...highest.values()].filter((rate) => rate >= REACHED_SHARE * burst).length;
  const level = shape.throttle ? 'the burst rate' : 'that rate';
  const runs = `${reached} of ${highest.size} runs reached ${level}`;
  if (!shape.throttle) return `${what}: ${runs}`;
  const onset = measuredSeconds(cycle, shape.throttle.onset.value);
  return `${what}: times are of the load alone, ${formatSeconds(onset)} with the pauses; ${runs}`;
}
