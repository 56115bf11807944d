/** Chooses which measurements get a chart in the report. */
import { groupBy } from '../maths/elements';
import { cellOf } from '../model/cell';
import type { MeasurementResult } from '../model/result';
import { meanThroughput } from '../tables/figures';
import { packetsOf } from '../model/statistics';

/** More charts would make the page slow to open. Measurements without one still have a card and a series file. */
export const MAX_CHARTS = 80;

/** Returns the ids of the measurements to chart: all of them or, above `MAX_CHARTS`, the most interesting ones. */
export function chartedMeasurementIds(results: readonly MeasurementResult[]): readonly string[] {
  const charted = results.filter(hasSeries);
  const chosen = new Set(byInterest(charted).slice(0, MAX_CHARTS));
  return charted.filter((result) => chosen.has(result)).map(({ measurementId }) => measurementId);
}

export const hasSeries = ({ kind, status }: MeasurementResult) =>
  (kind === 'throughput' || kind === 'packets') && (status === 'complete' || status === 'truncated');

/** The limit for all charts together. The chart of 30 minutes with counters and a latency probe has some 20,000. */
const MAX_CHART_CHARACTERS = 1_400_000;

/** Renders charts, the most interesting measurements first, until the page has no room for more. */
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

function byInterest(charted: readonly MeasurementResult[]): MeasurementResult[] {
  const extremes = bestAndWorst(charted);
  const rank = (result: MeasurementResult) => interest(result) + Number(extremes.has(result)) * 3;
  return [...charted].sort((left, right) => rank(right) - rank(left));
}

/** Ranks a drop, a disputed verdict, displaced hosts or an early end higher than a steady rate. */
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

/** Returns the fastest and the slowest measurement of each cell that has more than one. */
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
