/** What every cause module answers: whether the evidence shows its cause, excludes it, allows it, or was not read. */
import type { SeriesShape } from '../../detection/series-shape';
import type { Interval } from '../../maths/interval';
import type { Cause, Standing, Witness } from '../../model/verdict';
import type { WithheldCpu } from '../cpu-credits';
import type { End, ThroughputEvidence } from '../evidence';

/** What is to be explained: a fall, or the limit that a level is at. */
export interface Subject {
  readonly shape: SeriesShape;
  readonly evidence: ThroughputEvidence;
  readonly withheldCpu: WithheldCpu | null;
  /** The level after the fall; null where there was none. */
  readonly baseline: Interval | null;
}

export interface Finding {
  readonly standing: Standing;
  /** A clause that begins small and has no full stop. */
  readonly reason: string;
  /** The end that the cause is at, where the evidence shows it. */
  readonly end?: End;
  /** The witness whose evidence it is; where it is absent, the finding is a witness of its own. */
  readonly witness?: Witness;
}

/** A cause that can't make a fall, or can't be the limit of a level, has no function for it. */
export interface CauseModule {
  readonly cause: Cause;
  readonly ofFall?: (subject: Subject, earlier: EarlierFindings) => Finding | undefined;
  readonly ofLevel?: (subject: Subject) => Finding;
}

/** What the modules before found of the same fall. */
export type EarlierFindings = ReadonlyMap<Cause, Finding>;

export const shown = (reason: string, more: Pick<Finding, 'end' | 'witness'> = {}): Finding => {
  return { standing: 'shown', reason, ...more };
};
export const ruledOut = (reason: string): Finding => ({ standing: 'ruled_out', reason });
export const possible = (reason: string): Finding => ({ standing: 'possible', reason });
export const notRead = (reason: string): Finding => ({ standing: 'not_read', reason });
