/** Which measurements get a chart. */
import { groupBy } from '../../maths/group-by';
import { cellOf } from '../../model/cell';
import type { MeasurementResult } from '../../model/result';
import { meanThroughput } from '../../tables/figures';
import { packetsOf } from '../../model/statistics';

/** More charts would make the page too heavy to open. Every measurement has a card, and its series a file. */
export const MAX_CHARTS = 80;

/** The measurements whose series are needed: all, or of too many those that matter most. */
export function chartedMeasurementIds(results: readonly MeasurementResult[]): readonly string[] {
  const charted = results.filter(
    ({ kind, status }) =>
      (kind === 'throughput' || kind === 'packets') && (status === 'complete' || status === 'truncated'),
  );
  if (charted.length <= MAX_CHARTS) return charted.map(({ measurementId }) => measurementId);
  const extremes = bestAndWorst(charted);
  const rank = (result: MeasurementResult) => interest(result) + Number(extremes.has(result)) * 3;
  // The sort is stable, so of equally interesting ones the first are taken.
  const chosen = new Set([...charted].sort((left, right) => rank(right) - rank(left)).slice(0, MAX_CHARTS));
  return charted.filter((result) => chosen.has(result)).map(({ measurementId }) => measurementId);
}

/** A drop, a doubtful verdict, an early end or another place is more interesting than one more steady line. */
function interest({ verdict, packetVerdict, status, isDisplaced }: MeasurementResult): number {
  const judged = verdict ?? packetVerdict;
  const hasDrop = (judged?.onset ?? null) !== null;
  const isDisputed = judged?.witnesses.some(({ agrees }) => agrees === false) ?? false;
  const isUnusual = judged?.kind !== 'steady';
  return (
    Number(hasDrop) * 4 +
    Number(isDisputed) * 4 +
    Number(isDisplaced === true) * 4 +
    Number(status === 'truncated') * 2 +
    Number(isUnusual)
  );
}

/** The fastest and the slowest of each cell; a cell of one measurement has neither. */
function bestAndWorst(results: readonly MeasurementResult[]): ReadonlySet<MeasurementResult> {
  const cells = [...groupBy(results, (result) => cellOf(result)).values()].filter(({ length }) => length > 1);
  return new Set(
    cells.flatMap((cell) => {
      const sorted = [...cell].sort((left, right) => rate(left) - rate(right));
      return [sorted[0], sorted.at(-1)].filter((result) => result !== undefined);
    }),
  );
}

const rate = (result: MeasurementResult) =>
  meanThroughput.of(result) ?? packetsOf(result)?.packetsPerSecond?.mean ?? -Infinity;
