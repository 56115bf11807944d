/** Times in which next to nothing arrived while the tool went on sending. */
import { elementAt } from '../maths/elements';
import { ascending, quantileOfSorted, sum } from '../maths/statistics';
import { endOf, lengthOf, type RateInterval, type TimeSpan } from '../series/rate-series';
import { formatSeconds } from '../text/format';
import type { ThroughputEvidence } from './evidence';

/** A path that is busy loses single seconds; a reader of the figures must be told of more. */
const SHORTEST_SECONDS = 5;
/** A tool that is stopped prints up to nine seconds without traffic at its end (recordings of Uta et al., NSDI 2020). */
const SHORTEST_AT_END_SECONDS = 10;
/** As a share of the high rates. The lowest published baseline is 2 % of its burst. */
const HARDLY_ANY = 0.015;

/** Empty where it is unknown whether any load was offered, as in a series without its tool. */
export function findOutages({ isLoadDriven, series, truncated }: ThroughputEvidence): readonly TimeSpan[] {
  if (!isLoadDriven || series.length === 0) return [];
  const sorted = series.toSorted((one, other) => one.startSeconds - other.startSeconds);
  const threshold = HARDLY_ANY * quantileOfSorted(ascending(rates(sorted)), 0.95);
  const lastEnd = endOf(elementAt(sorted, -1));
  return runsBelow(threshold, sorted).filter((time) => {
    if (time.endSeconds < lastEnd) return lengthOf(time) >= SHORTEST_SECONDS;
    return lengthOf(time) >= SHORTEST_AT_END_SECONDS && !truncated;
  });
}

/** A missing sample ends a run, because nobody knows whether anything arrived then. */
function runsBelow(threshold: number, sorted: readonly RateInterval[]): TimeSpan[] {
  const runs: TimeSpan[] = [];
  for (const interval of sorted) {
    if (!(interval.bitsPerSecond < threshold)) continue;
    const last = runs.at(-1);
    const isNext = last !== undefined && interval.startSeconds - last.endSeconds < interval.lengthSeconds;
    if (isNext) runs[runs.length - 1] = { ...last, endSeconds: endOf(interval) };
    else runs.push({ startSeconds: interval.startSeconds, endSeconds: endOf(interval) });
  }
  return runs;
}

const rates = (series: readonly RateInterval[]) => Float64Array.from(series, ({ bitsPerSecond }) => bitsPerSecond);

/** The series without the outages, which has the rates of the path while it carried traffic. */
export function withoutOutages(series: readonly RateInterval[], outages: readonly TimeSpan[]): readonly RateInterval[] {
  return series.filter(({ startSeconds }) => !isWithin(startSeconds, outages));
}

/** Of the segments that were sent during the outages, the share that had to be sent again; undefined where none arrived. */
export function repeatedShare(outages: readonly TimeSpan[], evidence: ThroughputEvidence): number | undefined {
  const { series, retransmits = [], segmentBytes } = evidence;
  if (segmentBytes === undefined) return undefined;
  const during = series.filter(({ startSeconds }) => isWithin(startSeconds, outages));
  const arrived = sum(during.map((each) => each.bitsPerSecond * each.lengthSeconds)) / 8 / segmentBytes;
  const again = sum(
    retransmits.filter(({ startSeconds }) => isWithin(startSeconds, outages)).map((each) => each.retransmits),
  );
  return arrived < 1 ? undefined : again / (again + arrived);
}

function isWithin(seconds: number, outages: readonly TimeSpan[]): boolean {
  return outages.some(({ startSeconds, endSeconds }) => seconds >= startSeconds && seconds < endSeconds);
}

/** `hardly any traffic arrived for 34.0 s from 25.0 s on, to the end`; undefined without an outage */
export function outageInWords(outages: readonly TimeSpan[], { series }: ThroughputEvidence): string | undefined {
  const [first, ...others] = outages;
  if (!first) return undefined;
  const isNone = series.every(
    ({ startSeconds, bitsPerSecond }) => bitsPerSecond === 0 || !isWithin(startSeconds, outages),
  );
  const what = isNone ? 'no traffic arrived' : 'hardly any traffic arrived';
  const from = `from ${formatSeconds(first.startSeconds)} on`;
  if (others.length > 0) {
    const seconds = formatSeconds(sum(outages.map(lengthOf)));
    return `${what} for ${seconds} in all, ${outages.length} times, first ${from}`;
  }
  const lastEnd = series.reduce((end, interval) => Math.max(end, endOf(interval)), 0);
  const toEnd = first.endSeconds >= lastEnd ? ', to the end' : '';
  return `${what} for ${formatSeconds(lengthOf(first))} ${from}${toEnd}`;
}
