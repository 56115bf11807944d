/** The notes of judged expectations (`expectations.ts`): what a judgement rests on, and why a figure was not measured. */
import type { MeasuredFigureName } from '../model/expectation';
import { neededObservations } from '../model/percentiles';
import { verdictWord } from '../model/verdict';
import { heldBackBy, isHeldBack } from '../model/latency-verdict';
import type { MeasurementResult } from '../model/result';
import { counted } from '../text/format';
import { isDisplaced, sharesPairs, type Cell } from './cells';
import type { Side } from './figure-change';
import { EXPECTED_FIGURES } from './expected-figures';

export const NO_INTERVAL = 'judged by values that have no interval';

/** What the interval of one side rests on, where that is less than repetitions on fresh pairs. */
export function basisOf({ statistics, interval }: Side, cell: Cell): string[] {
  if (statistics.mean === null) return ['the values stand in several modes, so that their whole range is judged'];
  if (interval === undefined) return [NO_INTERVAL];
  if (statistics.count === 1) return ["the measurement's own interval; another pair may differ by more"];
  return sharesPairs(cell) ? ['repeated on the same pair; another pair may differ by more'] : [];
}

export function leftOut(cells: readonly Cell[]): string[] {
  const displaced = cells.filter(isDisplaced).flatMap(({ results }) => results);
  return displaced.length === 0 ? [] : [`${counted(displaced.length, 'displaced repetition')} left out`];
}

export function whyNotComplete(planned: readonly MeasurementResult[]): string {
  const whyNot = ({ status, reason, ...result }: MeasurementResult) =>
    reason ?? (isHeldBack(result) ? `was held back by ${heldBackBy(result)}` : `is ${status}`);
  const reasons = planned.map((result) => `${result.measurementId} ${whyNot(result)}`);
  const [first, ...others] = reasons;
  const what = planned.some(isHeldBack) ? 'no measurement shows the path' : 'no measurement is complete';
  return `${what}: ${first}${others.length === 0 ? '' : `; and ${others.length} more`}`;
}

/** Why complete measurements can lack a figure: their verdicts have none, or too little was observed. */
export function whyWithout({ results }: Cell, name: MeasuredFigureName): string {
  const { percentile } = EXPECTED_FIGURES[name];
  if (percentile !== undefined) return `too few round trips: it needs ${neededObservations(percentile)}`;
  const judged = results.flatMap(({ verdict, packetVerdict }) => packetVerdict ?? verdict ?? []);
  const words = [...new Set(judged.map(verdictWord))];
  if (words.length > 0) return `the verdict is ${words.join(' and ')}, which has no such figure`;
  return 'the measurements have no such figure';
}
