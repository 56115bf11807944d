/** What every cause module answers: whether the evidence shows its cause, excludes it, allows it, or was not read. */
import type { SeriesShape } from '../../detection/series-shape';
import { numberAt } from '../../maths/elements';
import type { Interval } from '../../maths/interval';
import { ascending, quantileOfSorted } from '../../maths/statistics';
import type { Cause, ExaminedCause, Standing, Witness } from '../../model/verdict';
import { cleanSeries } from '../../series/rate-series';
import type { Endpoint, ThroughputEvidence } from '../evidence';

export type Allowance = 'bandwidth' | 'packetRate' | 'connectionTracking';

/** Growth that begins with the drop, never comes after it, was as strong before it, or comes now and then only. */
export type Behaviour = 'begins' | 'silent' | 'throughout' | 'sporadic';

export interface GrowthAroundDrop {
  readonly end: Endpoint;
  readonly behaviour: Behaviour;
  /** Packets per second before the drop; undefined if the counter was not read then. */
  readonly before: number | undefined;
  readonly after: number;
}

/** How the counter of each allowance grows at each host; without hosts whose counter was not read after the drop. */
export type AllowanceGrowthAroundDrop = Readonly<Record<Allowance, readonly GrowthAroundDrop[]>>;

/** A host that ran out of CPU credits, or had none from its launch on. */
export interface WithheldCpu {
  readonly end: Endpoint;
  /** The witness contradicts network credits as the reason of a drop. */
  readonly witness: Witness;
}

/** What is to be explained: a drop, or the limit that a level is at. */
export interface Subject {
  readonly shape: SeriesShape;
  readonly evidence: ThroughputEvidence;
  /** How the allowance counters grow around the drop; empty without one. */
  readonly growth: AllowanceGrowthAroundDrop;
  readonly withheldCpu: WithheldCpu | null;
  /** The level after the drop; null if there was none. */
  readonly baseline: Interval | null;
}

export interface Finding {
  readonly standing: Standing;
  /** A clause that begins in lower case and has no full stop. */
  readonly reason: string;
  /** The witness that the finding is based on; without one, the finding is a witness of its own. */
  readonly witness?: NamedDetail;
}

type NamedDetail = Pick<Witness, 'name' | 'detail'>;

export interface Diagnosis {
  readonly cause: Cause | null;
  /** The finding of the cause; null if no cause is shown. */
  readonly finding: Finding | null;
  readonly examined: readonly ExaminedCause[];
}

/** Examines one cause, which has no function for a drop or for a level if it cannot explain it. */
export interface CauseModule {
  readonly cause: Cause;
  readonly ofDrop?: (subject: Subject, earlier: EarlierFindings) => Finding | undefined;
  readonly ofLevel?: (subject: Subject) => Finding | undefined;
}

/** The findings of the modules that examined the same drop before. */
export type EarlierFindings = ReadonlyMap<Cause, Finding>;

export const shown = (reason: string, witness?: NamedDetail): Finding => ({ standing: 'shown', reason, witness });
export const ruledOut = (reason: string): Finding => ({ standing: 'ruled_out', reason });
export const possible = (reason: string): Finding => ({ standing: 'possible', reason });
export const notRead = (reason: string): Finding => ({ standing: 'not_read', reason });

/**
 * The highest robust relative scatter of a held rate. EC2 holds a rate within 0.6 %; limiters of the lab, on a busy
 * machine, within 3 %; TCP on a path that loses one packet in ten scatters by 35 %.
 */
const HELD_SCATTER = 0.1;
/** The distance of the quartiles of a normal distribution, in standard deviations. */
const QUARTILE_DISTANCE = 1.35;

/** Whether the rate after a drop is held by a limiter, rather than being what a path happens to carry. */
export function isHeld({ shape: { throttle, kind }, evidence }: Subject): boolean {
  // In cycles the rate returns to the burst again and again, so its scatter shows nothing.
  if (kind === 'cycle') return true;
  const clean = cleanSeries(evidence.series);
  if (!throttle || !clean) return false;
  // The logarithms of a clean series have a floor, at which seconds without traffic would look like a held rate.
  const after = clean.bitsPerSecond.filter((_, index) => numberAt(clean.startSeconds, index) >= throttle.onset.high);
  const sorted = ascending(after);
  const quartileDistance = quantileOfSorted(sorted, 0.75) - quantileOfSorted(sorted, 0.25);
  const typical = quantileOfSorted(sorted, 0.5);
  return typical > 0 && quartileDistance / typical / QUARTILE_DISTANCE <= HELD_SCATTER;
}
