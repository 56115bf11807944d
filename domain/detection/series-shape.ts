/** The types that the steps of the detector pass on, and the detector's answer. */
import type { Interval } from '../maths/interval';
import type { SeriesKind } from '../model/verdict';

/** Samples [from, to) around one level. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly bitsPerSecond: number;
}

export interface Noise {
  /** Relative standard deviation of most of the samples within a level. */
  readonly standardDeviation: number;
  /** Correlation of neighbouring samples. */
  readonly autocorrelation: number;
  /** How many correlated samples carry as much information as one independent sample. */
  readonly longRunFactor: number;
  /** The relative standard deviation around each sample, because a shaped rate scatters less than a burst. */
  readonly deviations: Float64Array;
}

export interface ShapeSegment {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number;
}

/** A time of load at one rate, or a rest in which nothing was sent. */
export interface LoadStretch {
  readonly seconds: number;
  readonly bitsPerSecond: number;
  readonly isRest: boolean;
}

/** A fall to a lower level that stays. */
export interface Throttle {
  /** Seconds on the series' own time axis. */
  readonly onset: Interval;
  /** The level right before the drop, and the level after it. */
  readonly burstBitsPerSecond: number;
  readonly baselineBitsPerSecond: number;
  /** From the start of the load to the onset. */
  readonly load: readonly LoadStretch[];
  /** What `load` spent and did not earn back; null where its rests hide the volume of the credits. */
  readonly bucketBits: number | null;
  /** Later rests, in which nothing was sent, fill the same bucket again. */
  readonly isRefilledAtRest: boolean;
}

/** Later samples that are clearly lower than the earlier ones, up to the end. */
export interface LateDrop {
  readonly firstSampleCount: number;
  readonly firstBitsPerSecond: number;
  readonly lastSampleCount: number;
  readonly lastBitsPerSecond: number;
}

/** What the numbers alone show. */
export interface SeriesShape {
  readonly kind: SeriesKind;
  /** null where the series shows no fall to a lower level that stays. */
  readonly throttle: Throttle | null;
  readonly segments: readonly ShapeSegment[];
  /** null where there are too few samples to estimate it. */
  readonly noise: Noise | null;
  /** 0 to 1; null for `insufficient`, which claims nothing. */
  readonly confidence: number | null;
  readonly sampleCount: number;
  readonly loadStartSeconds: number;
  readonly endSeconds: number;
  /** The median of the samples; null when there is no traffic. */
  readonly typicalBitsPerSecond: number | null;
  readonly meanBitsPerSecond: number | null;
  readonly deadTailSeconds: number;
  /** For a duty cycle: the last runs end with so few low samples that they may be a dip or the end of the credits. */
  readonly lowEndSampleCount?: number;
  /** For a series that is too short to judge: the drop that its samples show all the same. */
  readonly lateDrop?: LateDrop;
}
