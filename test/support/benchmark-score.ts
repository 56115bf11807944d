/**
 * The benchmark's figures, as its own scorer defines them: F1 of throttled or not, the same with the onset in the right
 * place, false positive rate, class accuracy, and quantiles of the onset error (less a data gap that covers the true
 * onset).
 */
import type { Prediction } from '../../domain/detection/prediction';
import type { SeriesAnswer } from '../../bin/analyse-series';
import { BENCHMARK_CLASSES, predict, type LabelledSeries } from './prediction';

export interface Score {
  readonly count: number;
  readonly f1: number;
  readonly f1Placed: number;
  readonly falsePositiveRate: number;
  readonly classAccuracy: number;
  readonly onsetErrorSeconds: { readonly p50: number; readonly p90: number; readonly p95: number };
  readonly intervalCoverage: number;
  readonly bucketErrorMedian: number;
  readonly wrong: readonly string[];
}

const PLACED_WITHIN_SECONDS = 15;

export function scoreDetector(
  labelled: Iterable<LabelledSeries>,
  predictOne: (series: LabelledSeries) => Prediction & Partial<SeriesAnswer> = predict,
): Score {
  const tally = {
    truePositive: 0,
    falsePositive: 0,
    falseNegative: 0,
    trueNegative: 0,
    placed: 0,
    rightClass: 0,
    count: 0,
    covered: 0,
  };
  const onsetErrors: number[] = [];
  const bucketErrors: number[] = [];
  const wrong: string[] = [];
  for (const series of labelled) {
    const { truth } = series;
    const found = predictOne(series);
    tally.count += 1;
    const isRightClass = truth.accept.includes(BENCHMARK_CLASSES[found.kind]);
    if (isRightClass) tally.rightClass += 1;
    if (!isRightClass || found.throttled !== truth.throttled) wrong.push(`${series.id} ${series.kind}: ${found.kind}`);
    if (truth.throttled && found.throttled && found.onset_s !== null) {
      tally.truePositive += 1;
      const error = Math.max(0, Math.abs(found.onset_s - truth.onset_s!) - (truth.gap_at_onset_s ?? 0));
      onsetErrors.push(error);
      if (error <= PLACED_WITHIN_SECONDS) tally.placed += 1;
      if (found.onset_lo! <= truth.onset_s! && truth.onset_s! <= found.onset_hi!) tally.covered += 1;
      if (truth.verdict === BENCHMARK_CLASSES.drop && truth.capacity_bits !== undefined) {
        const { capacity_bits: bits } = found.if_network_credits ?? found;
        bucketErrors.push(Math.abs(bits! / truth.capacity_bits - 1));
      }
    } else if (truth.throttled) tally.falseNegative += 1;
    else if (found.throttled) tally.falsePositive += 1;
    else tally.trueNegative += 1;
  }
  const { truePositive, falsePositive, falseNegative, trueNegative, placed } = tally;
  const misplaced = truePositive - placed;
  return {
    count: tally.count,
    f1: f1(truePositive, falsePositive, falseNegative),
    f1Placed: f1(placed, falsePositive + misplaced, falseNegative + misplaced),
    falsePositiveRate: falsePositive / Math.max(1, falsePositive + trueNegative),
    classAccuracy: tally.rightClass / tally.count,
    onsetErrorSeconds: {
      p50: quantile(onsetErrors, 0.5),
      p90: quantile(onsetErrors, 0.9),
      p95: quantile(onsetErrors, 0.95),
    },
    intervalCoverage: tally.covered / Math.max(1, truePositive),
    bucketErrorMedian: quantile(bucketErrors, 0.5),
    wrong,
  };
}

function f1(truePositive: number, falsePositive: number, falseNegative: number): number {
  const denominator = 2 * truePositive + falsePositive + falseNegative;
  return denominator === 0 ? 1 : (2 * truePositive) / denominator;
}

/** NaN for no values. */
function quantile(values: readonly number[], p: number): number {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const position = p * (sorted.length - 1);
  const lower = Math.floor(position);
  const upper = Math.min(lower + 1, sorted.length - 1);
  return sorted[lower]! + (sorted[upper]! - sorted[lower]!) * (position - lower);
}
