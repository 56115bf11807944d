/**
 * The statistics of a throughput measurement. The mean is weighted by the length of the samples, the percentiles are
 * nearest-rank over the samples, and counts are the tool's own totals where it printed them. Where only the sender's
 * series is there, `arrived-throughput.ts` decides on the mean.
 */
import { ascending, nearestRank, weightedMean } from '../maths/statistics';
import type { Sample } from '../model/sample';
import type { DrivenDirection } from '../model/settings';
import type { Statistics, ThroughputQuantiles, ThroughputStatistics } from '../model/statistics';
import type { Side, ThroughputOutput, ToolSummary, TrafficCounts } from '../parsers/tool-output';
import { meanRate, summariesOf, summedSeries, sumOfCounts } from '../parsers/tool-series';
import { arrivedThroughput } from './arrived-throughput';
import type { ThroughputSamples } from './throughput-samples';

interface WithWarnings<Figures> {
  readonly statistics: Figures;
  readonly warnings: readonly string[];
}

/** @param outputs of both hosts, or of the only one whose output there is */
export function throughputStatistics(
  outputs: readonly ThroughputOutput[],
  throughput: Pick<ThroughputSamples, 'directions' | 'samples' | 'sentDirections'>,
): WithWarnings<Statistics> {
  const [main, other] = throughput.directions.map((direction) => directionStatistics(outputs, throughput, direction));
  if (main === undefined) return { statistics: {}, warnings: [] };
  if (other === undefined) return main;
  return {
    statistics: { forward: main.statistics, reverse: other.statistics },
    warnings: [...main.warnings, ...other.warnings],
  };
}

function directionStatistics(
  outputs: readonly ThroughputOutput[],
  { samples, sentDirections }: Pick<ThroughputSamples, 'samples' | 'sentDirections'>,
  direction: DrivenDirection,
): WithWarnings<ThroughputStatistics> {
  const isUdp = outputs.some((output) => output.protocol === 'udp');
  const sent = countsOf(outputs, direction, 'sender');
  const received = countsOf(outputs, direction, 'receiver');
  const series = throughputQuantiles(
    samples.filter((sample) => sample.metric === 'throughput' && sample.direction === direction),
  );
  const arrived =
    series !== undefined && sentDirections.includes(direction)
      ? arrivedThroughput(outputs, direction, series)
      : { quantiles: series ?? arrivedTotal(outputs, direction), warnings: [] };
  const statistics = {
    throughputBitsPerSecond: arrived.quantiles,
    retransmits: isUdp ? undefined : sent.retransmits,
    lostPackets: received.lostPackets,
    // A receiver's total comes from the sender's numbering: it is what was sent, lost or not.
    sentPackets: received.packets ?? sent.packets,
    jitterMicros: received.jitterMicros,
  };
  return { statistics, warnings: arrived.warnings };
}

export function throughputQuantiles(samples: readonly Sample[]): ThroughputQuantiles | undefined {
  const measured = samples.flatMap(({ throughputBitsPerSecond: value, lengthSeconds: weight }) =>
    value === undefined ? [] : [{ value, weight }],
  );
  const mean = weightedMean(measured);
  if (mean === undefined) return undefined;
  const sorted = ascending(measured.map(({ value }) => value));
  return {
    mean,
    p5: nearestRank(sorted, 5),
    p50: nearestRank(sorted, 50),
    p95: nearestRank(sorted, 95),
    min: nearestRank(sorted, 0),
    max: nearestRank(sorted, 100),
  };
}

/**
 * Without a series, the receiver's total at the end may still be known. TCP delivers what its sender passed to it; with
 * UDP, the sender's total shows nothing of what arrived.
 */
function arrivedTotal(
  outputs: readonly ThroughputOutput[],
  direction: DrivenDirection,
): ThroughputQuantiles | undefined {
  const tcp = outputs.filter(({ protocol }) => protocol === 'tcp');
  const [mean] = [
    ...outputs.flatMap((output) =>
      summariesOf([output], direction, 'receiver').map(
        (received) => received.bitsPerSecond ?? arrivedBitsPerSecond(output, received),
      ),
    ),
    ...summariesOf(tcp, direction, 'sender').map(({ bitsPerSecond }) => bitsPerSecond),
  ].filter((rate) => rate !== undefined);
  return mean === undefined ? undefined : { mean };
}

/** Before 3.10 a UDP client reports the lost datagrams but only its own rate. All datagrams have the same size. */
function arrivedBitsPerSecond({ intervals }: ThroughputOutput, received: ToolSummary): number | undefined {
  const { direction, packets, lostPackets } = received;
  const sentBitsPerSecond = meanRate(summedSeries(intervals, direction, 'sender'));
  if (!packets || lostPackets === undefined || sentBitsPerSecond === undefined) return undefined;
  return sentBitsPerSecond * (1 - lostPackets / packets);
}

/** The tool's own totals, or those of the intervals where the measurement ended before the tool printed any. */
function countsOf(outputs: readonly ThroughputOutput[], direction: DrivenDirection, side: Side): TrafficCounts {
  const series = outputs
    .map((output) => summedSeries(output.intervals, direction, side))
    .reduce((longest, candidate) => (candidate.length > longest.length ? candidate : longest), []);
  // A receiver that got no datagram knows neither how many were sent nor how many were lost.
  const reported = [...summariesOf(outputs, direction, side), sumOfCounts(series)].filter(
    ({ packets }) => packets !== 0,
  );
  const firstOf = (name: keyof TrafficCounts) =>
    reported.map((counts) => counts[name]).find((count) => count !== undefined);
  return {
    retransmits: firstOf('retransmits'),
    lostPackets: firstOf('lostPackets'),
    packets: firstOf('packets'),
    jitterMicros: firstOf('jitterMicros'),
  };
}
