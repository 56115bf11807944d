/** Whether there are network credits that can have run out. A series alone shows a fall, and not why the rate fell. */
import type { SeriesShape } from '../detection/series-shape';
import { shapingEnds } from './allowance-counters';
import type { WithheldCpu } from './cpu-credits';
import type { ThroughputEvidence } from './evidence';
import { canHaveCredits, ENDS } from './published-limits';

/**
 * Credits show in the type of an end, unless its published baseline is its peak; in the allowance counters, which begin
 * to grow when they are spent; and in cycles of the rate, in which they come back and run out again. Where a host was out
 * of CPU credits, only the counters show them, because its CPU explains a fall and cycles as well.
 */
export function haveCredits(
  shape: SeriesShape,
  evidence: ThroughputEvidence,
  withheldCpu: WithheldCpu | null,
): boolean {
  if (shapingEnds(shape, evidence).begins.length > 0) return true;
  if (withheldCpu) return false;
  const isOfType = ENDS.some((end) => evidence[end] !== undefined && canHaveCredits(evidence[end]));
  return isOfType || shape.seriesClass === 'periodic_recharge';
}
