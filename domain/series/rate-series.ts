/** A throughput series, as a tool reports it and as the detector uses it. */

/** One interval of a throughput series. */
export interface RateInterval {
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly bitsPerSecond: number;
}

export function endOf({ startSeconds, lengthSeconds }: RateInterval): number {
  return startSeconds + lengthSeconds;
}

/** Seconds on the series' own time axis. */
export interface TimeSpan {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

export function lengthOf({ startSeconds, endSeconds }: TimeSpan): number {
  return endSeconds - startSeconds;
}

/** Samples in order of time, one per bin. A missing sample is absent. */
export interface CleanSeries {
  readonly startSeconds: Float64Array;
  readonly bitsPerSecond: Float64Array;
  /** The same rates in ascending order, sorted once for every quantile. */
  readonly sortedBitsPerSecond: Float64Array;
  /** Length of one bin; intervals shorter than a second were averaged into seconds. */
  readonly binSeconds: number;
  /** Natural logarithm of the rate, at least that of a small share of the high rates; the noise is multiplicative. */
  readonly logRates: Float64Array;
  /** When the load began, on the series' own time axis. */
  readonly loadStartSeconds: number;
  /** End of the last sample that carries traffic. */
  readonly endSeconds: number;
  /** The intervals as reported, sorted and without duplicates, where they are finer than a bin. */
  readonly native: readonly RateInterval[] | null;
  /** In order of time: where samples showed no traffic, other than at the end. */
  readonly idle: readonly TimeSpan[];
  /** Seconds at the end in which the flow was dead. */
  readonly deadTailSeconds: number;
}
