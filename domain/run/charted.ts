/** Which measurements get a chart. */
import { groupBy } from '../maths/elements';
import { cellOf } from '../model/cell';
import type { MeasurementResult } from '../model/result';
import { meanThroughput } from '../tables/figures';
import { packetsOf } from '../model/statistics';

/** More charts would make the page too heavy to open. Every measurement has a card, and its series a file. */
export const MAX_CHARTS = 80;

/** The measurements whose series are needed: all, or of too many those that matter most. */
export function chartedMeasurementIds(results: readonly MeasurementResult[]): readonly string[] {
  const charted = results.filter(hasSeries);
  const chosen = new Set(byInterest(charted).slice(0, MAX_CHARTS));
  return charted.filter((result) => chosen.has(result)).map(({ measurementId }) => measurementId);
}

export const hasSeries = ({ kind, status }: MeasurementResult) =>
  (kind === 'throughput' || kind === 'packets') && (status === 'complete' || status === 'truncated');

/** A chart of half an hour with counters and a probe takes some 20,000 characters; all charts together at most these. */
const MAX_CHART_CHARACTERS = 1_400_000;

/** The charts of a run's measurements as far as they fit into the page: those that matter most. */
export function fittingCharts<Chart extends { readonly text: string }>(
  results: readonly MeasurementResult[],
  chartOf: (result: MeasurementResult) => Chart | undefined,
): ReadonlyMap<MeasurementResult, Chart> {
  let left = MAX_CHART_CHARACTERS;
  const charts = byInterest(results).flatMap((result): [MeasurementResult, Chart][] => {
    const chart = left > 0 ? chartOf(result) : undefined;
    left -= chart?.text.length ?? 0;
    return chart === undefined || left < 0 ? [] : [[result, chart]];
  });
  return new Map(charts);
}

/** The sort is stable, so of equally interesting ones the first come first. */
function byInterest(charted: readonly MeasurementResult[]): MeasurementResult[] {
  const extremes = bestAndWorst(charted);
  const rank = (result: MeasurementResult) => interest(result) + Number(extremes.has(result)) * 3;
  return [...charted].sort((left, right) => rank(right) - rank(left));
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
