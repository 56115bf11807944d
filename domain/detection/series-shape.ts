/** The words between the steps of the detector: what goes in, what a segment is, what comes out. */
import type { SeriesClass } from '../model/verdict';

/** Samples [from, to) around one level. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly bitsPerSecond: number;
}

export interface Noise {
  /** Relative standard deviation of the bulk of the samples within a level. */
  readonly standardDeviation: number;
  /** Correlation of neighbouring samples. */
  readonly autocorrelation: number;
  /** How many samples one independent sample is worth. */
  readonly longRunFactor: number;
  /** The relative standard deviation around each sample: a shaped rate is quieter than a burst. */
  readonly deviations: Float64Array;
}

export interface ShapeSegment {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number;
}

/** What the numbers alone show. */
export interface SeriesShape {
  readonly seriesClass: SeriesClass;
  /** A fall to a lower level that stays is seen. */
  readonly isThrottled: boolean;
  readonly onsetSeconds: number | null;
  readonly onsetLowSeconds: number | null;
  readonly onsetHighSeconds: number | null;
  readonly burstBitsPerSecond: number | null;
  readonly baselineBitsPerSecond: number | null;
  /** Traffic above the baseline before the onset. */
  readonly bucketBits: number | null;
  readonly segments: readonly ShapeSegment[];
  /** null where there is too little to estimate it from. */
  readonly noise: Noise | null;
  /** 0 to 1. */
  readonly confidence: number;
  readonly sampleCount: number;
  readonly loadStartSeconds: number;
  readonly endSeconds: number;
  /** The level of most of the samples; null when there is no traffic. */
  readonly typicalBitsPerSecond: number | null;
  readonly meanBitsPerSecond: number | null;
  readonly deadTailSeconds: number;
}
