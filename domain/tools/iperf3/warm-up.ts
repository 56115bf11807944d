/**
 * The first interval after a warm-up (`--omit`). When the warm-up ends, iperf3 3.12 and others set clock and bytes back,
 * but not the time at which the running interval began: that is then before the clock's 0, is printed without its minus,
 * and the rate is that of the bytes since 0 over the longer time. After two seconds of warm-up, `1.00-1.00 … 9.96` is the
 * interval 0 to 1 at 19.9. Datagrams are not set back (`iperf_reset_stats` in iperf_api.c).
 */
interface PrintedInterval {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number;
}

/** Transfer and rate are printed in three digits. */
const ROUNDING = 0.02;

/**
 * @param ratedSeconds the time over which the rate was calculated
 * @returns what the interval was, on the clock that the warm-up's end set to 0; undefined for any other interval
 */
export function sinceWarmUp<Interval extends PrintedInterval>(
  interval: Interval,
  ratedSeconds: number,
): Interval | undefined {
  const { startSeconds, endSeconds, bitsPerSecond } = interval;
  const beganBefore = startSeconds + endSeconds;
  const isRatedOver = (seconds: number) => Math.abs(ratedSeconds - seconds) <= ROUNDING * seconds;
  if (endSeconds === 0 || !isRatedOver(beganBefore) || isRatedOver(endSeconds - startSeconds)) return undefined;
  return { ...interval, startSeconds: 0, bitsPerSecond: (bitsPerSecond * beganBefore) / endSeconds };
}
