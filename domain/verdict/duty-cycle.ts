/** A duty cycle alternates load and pauses. The detector sees only the load, but credits are earned in the pauses. */
import { emptiedBits, type LoadStretch, type SeriesShape } from '../detection/series-shape';
import type { DutyCycle } from '../model/settings';
import type { ThroughputEvidence } from './evidence';
import { formatSeconds } from '../text/format';

/** A run may begin this much earlier than its multiple of the cycle, because programs differ in how fast they start. */
const START_TOLERANCE_SECONDS = 0.5;
/** A run reached the burst if any of its seconds has this share of it. */
const REACHED_SHARE = 0.9;

/** The time under load before an instant of the measurement; undefined within a pause. */
function loadSeconds({ onSeconds, offSeconds }: DutyCycle, seconds: number): number | undefined {
  const run = Math.max(0, Math.floor((seconds + START_TOLERANCE_SECONDS) / (onSeconds + offSeconds)));
  const within = Math.max(0, seconds - run * (onSeconds + offSeconds));
  return within < onSeconds ? run * onSeconds + within : undefined;
}

/** The inverse of `loadSeconds`: the instant of the measurement for a time under load. */
export function measuredSeconds({ onSeconds, offSeconds }: DutyCycle, seconds: number): number {
  return seconds + Math.floor(seconds / onSeconds) * offSeconds;
}

/** The evidence with times that omit the pauses, and without what was counted in them. */
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
    steal: evidence.steal && moved(evidence.steal),
  };
}

/** Adds the pauses before the onset to the load, because the credits that they earned were spent as well. */
export function withPauses(shape: SeriesShape, cycle: DutyCycle): SeriesShape {
  const { throttle } = shape;
  if (!throttle) return shape;
  const load = pausedLoad(throttle.load, shape.loadStartSeconds, cycle);
  const bucketBits = emptiedBits(load, throttle.baselineBitsPerSecond);
  return { ...shape, throttle: { ...throttle, load, bucketBits, isRefilledAtRest: true } };
}

export function pausedLoad(load: readonly LoadStretch[], startSeconds: number, cycle: DutyCycle): LoadStretch[] {
  const { onSeconds, offSeconds } = cycle;
  const paused: LoadStretch[] = [];
  let from = startSeconds;
  for (const stretch of load) {
    const end = from + stretch.seconds;
    for (let run = Math.floor(from / onSeconds) + 1; run * onSeconds < end; run += 1) {
      paused.push({ ...stretch, seconds: run * onSeconds - from });
      paused.push({ seconds: offSeconds, bitsPerSecond: 0, isRest: true });
      from = run * onSeconds;
    }
    paused.push({ ...stretch, seconds: end - from });
    from = end;
  }
  return paused;
}

/** Describes the cycle, the onset on the time axis with the pauses, and how many runs reached the burst. */
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
  const runs = `${reached} of ${highest.size} on-phases reached ${level}`;
  if (!shape.throttle) return `${what}: ${runs}`;
  const onset = measuredSeconds(cycle, shape.throttle.onset.value);
  return `${what}: times omit the pauses; with the pauses, the drop is at ${formatSeconds(onset)}; ${runs}`;
}
