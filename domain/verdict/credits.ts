/** Whether there are credits that can have run out. A series alone shows a fall, and not why the rate fell. */
import type { SeriesShape } from '../detection/series-shape';
import { shapingEnds } from './allowance-counters';
import type { ThroughputEvidence } from './evidence';
import { canHaveCredits, ENDS } from './published-limits';

/**
 * Credits show in the type of an end, unless its published baseline is its peak; in the allowance counters, which begin
 * to grow when they are spent; and in cycles of the rate, in which they come back and run out again.
 */
export function haveCredits(shape: SeriesShape, evidence: ThroughputEvidence): boolean {
  const isOfType = ENDS.some((end) => evidence[end] !== undefined && canHaveCredits(evidence[end]));
  return isOfType || shape.seriesClass === 'periodic_recharge' || shapingEnds(shape, evidence).begins.length > 0;
}
