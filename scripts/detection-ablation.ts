/** The detector with one step replaced by the simplest that does the same: the loss shows what the step is worth. */
import { classifySeries, DETECTOR_STEPS, type DetectorSteps } from '../domain/detection/index';
import { FallLikelihood } from '../domain/detection/onset-likelihood';
import { predictionOf, rateIntervals, type Prediction } from '../domain/detection/prediction';
import { DEEPEST_THROTTLED_RATIO, type Fall } from '../domain/detection/throttle-shape';
import { elementAt } from '../domain/maths/elements';
import type { LabelledSeries } from '../test/support/prediction';

export interface Ablation {
  readonly name: string;
  readonly steps: Partial<DetectorSteps>;
}

/** Larger than any residual. */
const UNBOUNDED = 30;

export const ABLATIONS: readonly Ablation[] = [
  { name: 'nothing', steps: {} },
  { name: 'noise: neighbouring samples treated as independent', steps: { estimateNoise: independentNoise } },
  { name: 'noise: one level for the whole series', steps: { estimateNoise: uniformNoise } },
  { name: 'levels: square loss', steps: { segmentLevels: squareLoss } },
  {
    name: 'throttle: the first fall of an eighth, no rules',
    steps: { findThrottles: firstFall, isBelievable: () => true },
  },
  { name: 'no slope test', steps: { hasSlope: slopeWithoutFall } },
  { name: 'no recharge test', steps: { findRecharge: () => null } },
  { name: 'no further steps', steps: { findFurtherFalls: () => [] } },
  { name: 'onset: between two samples', steps: { locateOnset: boundaryOnset } },
  { name: 'onset: no settling', steps: { locateOnset: suddenOnset } },
];

/** Predicts a series with these steps in place of the detector's own. */
export function predictWith(steps: Partial<DetectorSteps>): (series: LabelledSeries) => Prediction {
  const all = { ...DETECTOR_STEPS, ...steps };
  return (series) => predictionOf(series.id, classifySeries(rateIntervals(series), all));
}

function independentNoise(...[logRates]: Parameters<DetectorSteps['estimateNoise']>) {
  const noise = DETECTOR_STEPS.estimateNoise(logRates);
  const shrink = Math.sqrt(1 - noise.autocorrelation);
  return {
    standardDeviation: noise.standardDeviation * shrink,
    autocorrelation: 0,
    longRunFactor: 1,
    deviations: noise.deviations.map((deviation) => deviation * shrink),
  };
}

function uniformNoise(...[logRates]: Parameters<DetectorSteps['estimateNoise']>) {
  const noise = DETECTOR_STEPS.estimateNoise(logRates);
  return { ...noise, deviations: noise.deviations.map(() => noise.standardDeviation) };
}

function squareLoss(...given: Parameters<DetectorSteps['segmentLevels']>) {
  const [logRates, rates, noise, resolution] = given;
  return DETECTOR_STEPS.segmentLevels(logRates, rates, noise, resolution, UNBOUNDED);
}

function firstFall(...[segments]: Parameters<DetectorSteps['findThrottles']>): Fall[] {
  for (const [segment, { bitsPerSecond }] of segments.entries()) {
    const after = segments[segment + 1];
    if (after && after.bitsPerSecond <= DEEPEST_THROTTLED_RATIO * bitsPerSecond) {
      return [
        {
          segment,
          boundary: after.from,
          burstBitsPerSecond: bitsPerSecond,
          baselineBitsPerSecond: after.bitsPerSecond,
        },
      ];
    }
  }
  return [];
}

function slopeWithoutFall(...given: Parameters<DetectorSteps['hasSlope']>) {
  const [clean, segments, noise, resolution, fall] = given;
  return fall === null && DETECTOR_STEPS.hasSlope(clean, segments, noise, resolution, fall);
}

/** The start of the lower level's first sample, plus or minus one sample. */
function boundaryOnset(...[intervals, boundary]: Parameters<DetectorSteps['locateOnset']>) {
  const { startSeconds, lengthSeconds } = elementAt(intervals, boundary);
  return { value: startSeconds, low: startSeconds - lengthSeconds, high: startSeconds + lengthSeconds };
}

function suddenOnset(...[intervals, boundary, noise]: Parameters<DetectorSteps['locateOnset']>) {
  const own = Object.getOwnPropertyDescriptor(FallLikelihood.prototype, 'looksUnsettled');
  if (own === undefined) throw new Error('FallLikelihood: must have a member looksUnsettled');
  Object.defineProperty(FallLikelihood.prototype, 'looksUnsettled', { ...own, value: () => false });
  try {
    return DETECTOR_STEPS.locateOnset(intervals, boundary, noise);
  } finally {
    Object.defineProperty(FallLikelihood.prototype, 'looksUnsettled', own);
  }
}
