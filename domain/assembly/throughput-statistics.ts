/**
 * The statistics of a throughput measurement. The mean is weighted by the length of the samples, the percentiles are
 * nearest-rank over the samples, and counts are the tool's own totals where it printed them. A figure that was not
 * measured is absent, never 0.
 */
import { summedSeries, sumOfCounts } from '../parsers/tool-series';
import type { ThroughputOutput, Side, ToolSummary, TrafficCounts } from '../parsers/tool-output';
import type { DrivenDirection } from '../model/settings';
import type { Sample } from '../model/sample';
import type { Statistics, ThroughputQuantiles, ThroughputStatistics } from '../model/statistics';
import { ascending, nearestRank } from '../maths/quantiles';

export interface MeasuredThroughput {
  /** Both where both were driven at once. */
  readonly directions: readonly DrivenDirection[];
  readonly samples: readonly Sample[];
}

/** @param outputs of both hosts, or of the only one whose output there is */
export function throughputStatistics(outputs: readonly ThroughputOutput[], measured: MeasuredThroughput): Statistics {
  const statisticsOf = (direction: DrivenDirection) => directionStatistics(outputs, measured.samples, direction);
  if (measured.directions.length > 1) return { forward: statisticsOf('forward'), reverse: statisticsOf('reverse') };
  const direction = measured.directions[0];
  return direction === undefined ? {} : statisticsOf(direction);
}

function directionStatistics(
  outputs: readonly ThroughputOutput[],
  samples: readonly Sample[],
  direction: DrivenDirection,
): ThroughputStatistics {
  const isUdp = outputs.some((output) => output.protocol === 'udp');
  const sent = countsOf(outputs, direction, 'sender');
  const received = countsOf(outputs, direction, 'receiver');
  return {
    throughputBitsPerSecond:
      throughputQuantiles(
        samples.filter((sample) => sample.metric === 'throughput' && sample.direction === direction),
      ) ?? receivedTotal(outputs, direction),
    retransmits: isUdp ? undefined : sent.retransmits,
    lostPackets: received.lostPackets,
    // A receiver's total comes from the sender's numbering: it is what was sent, lost or not.
    sentPackets: received.packets ?? sent.packets,
    jitterMicros: received.jitterMicros,
  };
}

export function throughputQuantiles(samples: readonly Sample[]): ThroughputQuantiles | undefined {
  const measured = samples.flatMap(({ throughputBitsPerSecond, lengthSeconds }) =>
    throughputBitsPerSecond === undefined ? [] : [{ throughputBitsPerSecond, lengthSeconds }],
  );
  if (measured.length === 0) return undefined;
  const seconds = measured.reduce((total, sample) => total + sample.lengthSeconds, 0);
  const bits = measured.reduce((total, sample) => total + sample.throughputBitsPerSecond * sample.lengthSeconds, 0);
  const sorted = ascending(measured.map((sample) => sample.throughputBitsPerSecond));
  return {
    mean: bits / seconds,
    p5: nearestRank(sorted, 5),
    p50: nearestRank(sorted, 50),
    p95: nearestRank(sorted, 95),
    min: nearestRank(sorted, 0),
    max: nearestRank(sorted, 100),
  };
}

/** Without a series, the receiver's total at the end may still be known. */
function receivedTotal(
  outputs: readonly ThroughputOutput[],
  direction: DrivenDirection,
): ThroughputQuantiles | undefined {
  for (const output of outputs) {
    const received = output.summaries.find((summary) => summary.direction === direction && summary.side === 'receiver');
    const mean = received?.bitsPerSecond ?? arrivedBitsPerSecond(output, received);
    if (mean !== undefined) return { mean };
  }
  return deliveredTotal(outputs, direction);
}

/** TCP delivers what its sender passed to it; with UDP, what arrived is unknown. */
function deliveredTotal(
  outputs: readonly ThroughputOutput[],
  direction: DrivenDirection,
): ThroughputQuantiles | undefined {
  const means = outputs
    .filter((output) => output.protocol === 'tcp')
    .flatMap((output) => output.summaries)
    .filter((summary) => summary.direction === direction && summary.side === 'sender')
    .flatMap(({ bitsPerSecond }) => bitsPerSecond ?? []);
  return means[0] === undefined ? undefined : { mean: means[0] };
}

/** Before 3.10 a UDP client reports the lost datagrams but only its own rate. All datagrams have the same size. */
function arrivedBitsPerSecond(output: ThroughputOutput, received: ToolSummary | undefined): number | undefined {
  if (received?.packets === undefined || received.packets === 0 || received.lostPackets === undefined) return undefined;
  const sent = summedSeries(output.intervals, received.direction, 'sender');
  const seconds = sent.reduce((total, interval) => total + interval.endSeconds - interval.startSeconds, 0);
  const bits = sent.reduce(
    (total, interval) => total + interval.bitsPerSecond * (interval.endSeconds - interval.startSeconds),
    0,
  );
  return seconds > 0 ? (bits / seconds) * (1 - received.lostPackets / received.packets) : undefined;
}

/** The tool's own totals, or those of the intervals where the measurement ended before the tool printed any. */
function countsOf(outputs: readonly ThroughputOutput[], direction: DrivenDirection, side: Side): TrafficCounts {
  const summaries = outputs
    .flatMap((output) => output.summaries)
    .filter((summary) => summary.direction === direction && summary.side === side);
  const series = outputs
    .map((output) => summedSeries(output.intervals, direction, side))
    .reduce((longest, candidate) => (candidate.length > longest.length ? candidate : longest), []);
  const counted = sumOfCounts(series);
  // A receiver that got no datagram knows neither how many were sent nor how many were lost.
  const reported = [...summaries, counted].filter(({ packets }) => packets !== 0);
  const firstOf = (value: (counts: TrafficCounts) => number | undefined) =>
    reported.map(value).find((number) => number !== undefined);
  return {
    retransmits: firstOf((counts) => counts.retransmits),
    lostPackets: firstOf((counts) => counts.lostPackets),
    packets: firstOf((counts) => counts.packets),
    jitterMicros: firstOf((counts) => counts.jitterMicros),
  };
}
