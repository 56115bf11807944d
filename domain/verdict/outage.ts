/** Times in which nothing arrived while the tool went on sending. */
import { cleanSeries } from '../series/clean';
import { lengthOf, type TimeSpan } from '../series/rate-series';
import { sum } from '../maths/statistics';
import { formatSeconds } from '../text/format';
import type { ThroughputEvidence } from './evidence';

/** A path that is busy loses single seconds; a reader of the figures must be told of more. */
const SHORTEST_SECONDS = 5;
/** A tool that is stopped prints up to nine seconds without traffic at its end (recordings of Uta et al., NSDI 2020). */
const SHORTEST_AT_END_SECONDS = 10;

/** Empty where it is unknown whether any load was offered, as in a series without its tool. */
export function findOutages(evidence: ThroughputEvidence): readonly TimeSpan[] {
  const clean = evidence.isLoadDriven ? cleanSeries(evidence.series) : null;
  if (!clean) return [];
  const between = clean.idle.filter((time) => lengthOf(time) >= SHORTEST_SECONDS);
  const { endSeconds, deadTailSeconds } = clean;
  const hasEnd = deadTailSeconds >= SHORTEST_AT_END_SECONDS && !evidence.truncated;
  return hasEnd ? [...between, { startSeconds: endSeconds, endSeconds: endSeconds + deadTailSeconds }] : between;
}

/** `no traffic arrived for 34.0 s from 25.0 s on, to the end`; undefined without an outage */
export function outageInWords(outages: readonly TimeSpan[], evidence: ThroughputEvidence): string | undefined {
  const [first, ...others] = outages;
  if (!first) return undefined;
  const from = `from ${formatSeconds(first.startSeconds)} on`;
  if (others.length > 0) {
    const seconds = formatSeconds(sum(outages.map(lengthOf)));
    return `no traffic arrived for ${seconds} in all, ${outages.length} times, first ${from}`;
  }
  const lastEnd = evidence.series.reduce((end, each) => Math.max(end, each.startSeconds + each.lengthSeconds), 0);
  const toEnd = first.endSeconds >= lastEnd ? ', to the end' : '';
  return `no traffic arrived for ${formatSeconds(lengthOf(first))} ${from}${toEnd}`;
}
