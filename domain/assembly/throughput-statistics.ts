/**
 * The statistics of a throughput measurement. The mean is weighted by the length of the samples, the percentiles are
 * nearest-rank over the samples, and counts are the tool's own totals where it printed them.
 */
import { ascending, nearestRank } from '../maths/statistics';
import { meanOf, type Sample } from '../model/sample';
import type { DrivenDirection } from '../model/settings';
import type { Statistics, ThroughputQuantiles, ThroughputStatistics } from '../model/statistics';
import { OMITTED_INTERVALS_WARNING, unexplainedDifference } from '../parsers/completeness';
import type { Side, ThroughputOutput, ToolSummary, TrafficCounts } from '../parsers/tool-output';
import { countsBy, meanRate, summariesOf, summedSeries, sumOfCounts } from '../parsers/tool-series';
import { comparedRate } from '../text/format';
import type { ThroughputSamples } from './throughput-samples';

interface WithWarnings<Figures> {
  readonly statistics: Figures;
  readonly warnings: readonly string[];
}

/** @param outputs of both hosts, or of one if the other's is missing */
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

/**
 * The mean of what arrived if only the sender's series is there. A sender counts what it passes to its kernel, whose
 * buffers fill in the first second and may not be empty when the test ends. With UDP such a series is used only where
 * the receiver reports that nothing was lost; it may still have arrived later than it was sent.
 *
 * | the receiver's total                     | the mean    | warning                             |
 * | ---------------------------------------- | ----------- | ----------------------------------- |
 * | agrees with the series within 2 %        | the series' | none                                |
 * | does not                                 | the total   | both figures                        |
 * | does not, and a warm-up was omitted (-O) | the series' | both figures                        |
 * | is not there, with TCP                   | the series' | only the sender's figures are there |
 * | is not there, with UDP: nothing was lost | the series' | none                                |
 *
 * With `-O` the receiver's total can hold a part of the warm-up, in iperf3 3.0 to 3.3 even where nothing was queued:
 * https://github.com/esnet/iperf/issues/236 and https://github.com/esnet/iperf/issues/692.
 *
 * @param series the quantiles of the sender's series
 */
function arrivedThroughput(
  outputs: readonly ThroughputOutput[],
  direction: DrivenDirection,
  series: ThroughputQuantiles,
): { readonly quantiles: ThroughputQuantiles; readonly warnings: readonly string[] } {
  const arrived = summariesOf(outputs, direction, 'receiver').find(({ bitsPerSecond }) => bitsPerSecond !== undefined);
  const arrivedRate = arrived?.bitsPerSecond;
  const keep = (...warnings: string[]) => ({ quantiles: series, warnings });
  if (arrivedRate === undefined && outputs.some(({ protocol }) => protocol === 'udp')) return keep();
  if (arrivedRate === undefined) {
    return keep(`${direction}: only the sender's figures are here: what it passed to its kernel, not what arrived`);
  }
  const difference = unexplainedDifference(series.mean, arrivedRate);
  if (difference === undefined) return keep();
  const compared = `${direction}: the sender's series has a mean of ${comparedRate(series.mean)}, ${difference} than the`;
  if (outputs.some(({ warnings }) => warnings.includes(OMITTED_INTERVALS_WARNING))) {
    const total = `${comparedRate(arrivedRate)} of the receiver's total, which may hold a part of the warm-up`;
    return keep(`${compared} ${total}; all figures are the sender's`);
  }
  return {
    quantiles: { ...series, mean: arrivedRate },
    warnings: [
      `${compared} ${comparedRate(arrivedRate)} that arrived: the mean is what arrived, all else is the sender's`,
    ],
  };
}

export function throughputQuantiles(
  samples: readonly Sample[],
  figure: 'throughputBitsPerSecond' | 'packetsPerSecond' = 'throughputBitsPerSecond',
): ThroughputQuantiles | undefined {
  const mean = meanOf(samples, figure);
  if (mean === undefined) return undefined;
  const sorted = ascending(samples.flatMap(({ [figure]: value }) => value ?? []));
  const [p5, p50, p95, min, max] = [5, 50, 95, 0, 100].map((percent) => nearestRank(sorted, percent));
  return { mean, p5, p50, p95, min, max };
}

/** The mean of what arrived, without a series: the receiver's total or, because TCP delivers all, a TCP sender's. */
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

/** Before iperf3 3.10, a UDP client reports the lost datagrams, all of the same size, but only its own rate. */
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
  return countsBy((name) => reported.map((counts) => counts[name]).find((count) => count !== undefined));
}
