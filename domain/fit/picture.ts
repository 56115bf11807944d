/** What a page draws of a fit: the series that decides, and the credits that the closest candidates have left in it. */
import { elementAt, numberAt } from '../maths/elements';
import { carry, stretchesOf } from './credits';
import type { Trace, TraceSeries } from './traces/trace';
import { expectedCorner, type TypeFit } from './type-fit';

/** Values over the seconds since the beginning of the trace; null where nothing is known. */
export type Path = [seconds: number, value: number | null][];

export interface Candidate {
  readonly fit: TypeFit;
  /** Empty for a type without credits, or with an unknown bucket. */
  readonly creditBits: Path;
}

export interface FitPicture extends Pick<TraceSeries, 'instance' | 'direction'> {
  readonly lastSeconds: number;
  readonly bitsPerSecond: Path;
  /** The cheapest type that is never throttled, and the one that comes closest to it; either may be missing. */
  readonly candidates: readonly Candidate[];
  /** Of the candidate that is throttled, as expected. */
  readonly firstThrottleSeconds: number | null;
}

/** @param fits at least one, the cheapest first */
export function fitPicture(trace: Trace, fits: readonly TypeFit[]): FitPicture {
  const closest = closestOf(fits);
  const chosen = [fits.find(({ throttled }) => throttled === 'never'), closest].filter((fit) => fit !== undefined);
  const { instance, direction, firstThrottleSeconds } = (chosen.at(-1) ?? elementAt(fits, 0)).series[0];
  const isDrawn = (each: TraceSeries) => each.instance === instance && each.direction === direction;
  const stretches = stretchesOf(trace.series.filter(isDrawn).flatMap(({ intervals }) => intervals));
  const from = [...stretches.startSeconds].map((seconds) => seconds - trace.startSeconds);
  const to = from.map((seconds, index) => seconds + numberAt(stretches.lengthSeconds, index));
  const lastSeconds = elementAt(to, -1);
  const creditsOf = (fit: TypeFit): Path => {
    const path: Path = [];
    const corner = expectedCorner(fit);
    const add = (seconds: number, bits: number) => path.push([seconds - trace.startSeconds, bits]);
    if (corner !== null && corner.bucketBits > 0) carry(stretches, corner, Infinity, add);
    // What still waits at the end is sent after it, which the picture does not show; times are rounded.
    return path.filter(([seconds]) => seconds < lastSeconds + 1e-3);
  };
  return {
    ...{ instance, direction, lastSeconds },
    bitsPerSecond: [...stretches.bitsPerSecond].flatMap((rate, index): Path => {
      const value = Number.isNaN(rate) ? null : rate;
      return [from, to].map((ends) => [elementAt(ends, index), value]);
    }),
    candidates: chosen.map((fit) => ({ fit, creditBits: creditsOf(fit) })),
    firstThrottleSeconds: firstThrottleSeconds?.value ?? null,
  };
}

/** Of the throttled types with credits, the one whose smallest likely bucket has most of what it may need. */
function closestOf(fits: readonly TypeFit[]): TypeFit | undefined {
  const least = ({ bucketBits }: TypeFit) => bucketBits?.low ?? 0;
  const share = (fit: TypeFit) => (fit.series[0].isAbovePeak ? 0 : least(fit) / fit.series[0].neededBits.high);
  return fits
    .filter((fit) => fit.throttled !== 'never' && least(fit) > 0)
    .sort((one, other) => share(other) - share(one))[0];
}
