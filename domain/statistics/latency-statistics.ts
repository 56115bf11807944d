/** What a latency measurement comes to: the tool's own percentiles, as round trips. Not measured is absent, never 0. */
import { withoutAbsent } from '../parsers/iperf3-series';
import type { LatencyOutput } from '../parsers/tool-output';
import type { LatencyStatistics } from '../measurement/measurement';

export function latencyStatistics(output: LatencyOutput): LatencyStatistics {
  const { rttMicros, observations, droppedMessages, duplicatedMessages, outOfOrderMessages } = output;
  return withoutAbsent({ rttMicros, observations, droppedMessages, duplicatedMessages, outOfOrderMessages });
}
