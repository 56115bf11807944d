/**
 * The mean of what arrived, where the only series is that of a sender. A sender counts what it passes to its kernel,
 * whose buffers fill in the first second and may not be empty when the test ends. With UDP such a series is used only
 * where the receiver reports that nothing was lost; it may still have arrived later than it was sent.
 */
import type { DrivenDirection } from '../model/settings';
import type { ThroughputQuantiles } from '../model/statistics';
import { OMITTED_INTERVALS_WARNING } from '../parsers/completeness';
import { unexplainedDifference } from '../parsers/interval-totals';
import type { ThroughputOutput } from '../parsers/tool-output';
import { summariesOf } from '../parsers/tool-series';
import { comparedRate } from '../text/format';

interface ArrivedThroughput {
  /** The percentiles are always those of the series. */
  readonly quantiles: ThroughputQuantiles;
  readonly warnings: readonly string[];
}

/**
 * | the receiver's total                      | the mean     | warning                             |
 * | ----------------------------------------- | ------------ | ----------------------------------- |
 * | agrees with the series within 2 %         | the series'  | none                                |
 * | does not                                  | the total    | both figures                        |
 * | does not, and a warm-up was omitted (-O)  | the series'  | both figures                        |
 * | is not there, with TCP                    | the series'  | only the sender's figures are there |
 * | is not there, with UDP: nothing was lost  | the series'  | none                                |
 *
 * With `-O` the receiver's total can hold a part of the warm-up, in iperf3 3.0 to 3.3 even where nothing was queued:
 * https://github.com/esnet/iperf/issues/236 and https://github.com/esnet/iperf/issues/692.
 *
 * @param series the quantiles of the sender's series
 */
export function arrivedThroughput(
  outputs: readonly ThroughputOutput[],
  direction: DrivenDirection,
  series: ThroughputQuantiles,
): ArrivedThroughput {
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
