/** What every cause module answers: whether the evidence shows its cause, excludes it, allows it, or was not read. */
import type { SeriesShape } from '../../detection/series-shape';
import { numberAt } from '../../maths/elements';
import type { Interval } from '../../maths/interval';
import { ascending, quantileOfSorted } from '../../maths/statistics';
import type { Cause, Standing, Witness } from '../../model/verdict';
import { cleanSeries } from '../../series/rate-series';
import { formatRate } from '../../text/format';
import type { AllowanceGrowthAroundDrop } from '../allowance-counters';
import type { Endpoint, ThroughputEvidence } from '../evidence';
import { canHaveCredits, isAtBaseline } from '../published-limits';

/** A host that ran out of CPU credits, or had none from its launch on. */
export interface WithheldCpu {
  readonly end: Endpoint;
  /** It contradicts network credits as the reason of a drop. */
  readonly witness: Witness;
}

/** What is to be explained: a drop, or the limit that a level is at. */
export interface Subject {
  readonly shape: SeriesShape;
  readonly evidence: ThroughputEvidence;
  /** How the counters of both ends grow around the drop; empty without one. */
  readonly growth: AllowanceGrowthAroundDrop;
  readonly withheldCpu: WithheldCpu | null;
  /** The level after the drop; null where there was none. */
  readonly baseline: Interval | null;
}

export interface Finding {
  readonly standing: Standing;
  /** A clause that begins small and has no full stop. */
  readonly reason: string;
  /** The end that the cause is at, where the evidence shows it. */
  readonly end?: Endpoint;
  /** The witness whose evidence it is; where it is absent, the finding is a witness of its own. */
  readonly witness?: Witness;
}

/** A limit that a level is at. */
export interface Limit {
  readonly cause: Cause;
  readonly reason: string;
  readonly end?: Endpoint;
  readonly witness: Witness;
}

/** A cause that can't make a drop, or can't be the limit of a level, has no function for it. */
export interface CauseModule {
  readonly cause: Cause;
  readonly ofDrop?: (subject: Subject, earlier: EarlierFindings) => Finding | undefined;
  readonly ofLevel?: (subject: Subject) => Finding | undefined;
}

/** What the modules before found of the same fall. */
export type EarlierFindings = ReadonlyMap<Cause, Finding>;

export const shown = (reason: string, more: Pick<Finding, 'end' | 'witness'> = {}): Finding => {
  return { standing: 'shown', reason, ...more };
};
export const ruledOut = (reason: string): Finding => ({ standing: 'ruled_out', reason });
export const possible = (reason: string): Finding => ({ standing: 'possible', reason });
export const notRead = (reason: string): Finding => ({ standing: 'not_read', reason });

/**
 * The robust relative scatter of seconds. EC2 holds a rate within 0.6 %; limiters of the lab, on a busy machine, within
 * 3 %; TCP on a path that loses one packet in ten scatters by 35 %.
 */
const HELD_SCATTER = 0.1;
/** The distance of the quartiles of a normal distribution, in standard deviations. */
const QUARTILE_DISTANCE = 1.35;

/** Whether the rate after a drop is held by a limiter, or is what a path happens to carry. */
export function isHeld({ throttle, kind }: SeriesShape, { series }: ThroughputEvidence): boolean {
  // In cycles the rate is high again and again.
  if (kind === 'cycle') return true;
  const clean = cleanSeries(series);
  if (!throttle || !clean) return false;
  const after = clean.logRates.filter((_, index) => numberAt(clean.startSeconds, index) >= throttle.onset.high);
  const sorted = ascending(after);
  return (quantileOfSorted(sorted, 0.75) - quantileOfSorted(sorted, 0.25)) / QUARTILE_DISTANCE <= HELD_SCATTER;
}

const MOST_NAMED = 3;

/**
 * Which instance types a level fits, where the types of the hosts are not known: evidence, and no proof.
 *
 * `; 0.75 Gbit/s is the published baseline of c5.large, c5d.large, m5.large and 7 other types`, with the types whose peak
 * is nearest to the burst first; empty where no table was given or none fits.
 */
export function matchingTypes(level: Interval, evidence: ThroughputEvidence): string {
  const fitting = (evidence.publishedTypes ?? []).filter(
    (type) =>
      type.baselineBitsPerSecond !== undefined &&
      canHaveCredits(type) &&
      isAtBaseline(level, type.baselineBitsPerSecond, evidence),
  );
  const [first] = fitting;
  if (!first) return evidence.publishedTypes === undefined ? '' : '; it is the published baseline of no type';
  const named = fitting.slice(0, MOST_NAMED).map(({ instanceType }) => instanceType);
  const others = fitting.length - named.length;
  const types = others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} other types`;
  return `; ${formatRate(first.baselineBitsPerSecond ?? 0)} is the published baseline of ${types}`;
}
