/** What a latency measurement comes to: the tool's own percentiles, as round trips. Not measured is absent, never 0. */
import type { LatencyStatistics } from '../model/statistics';
import { withoutAbsent } from '../parsers/tool-series';
import type { LatencyOutput } from '../parsers/tool-output';
import { timerQuantumMicros } from '../parsers/timer-quantum';

export function latencyStatistics(output: LatencyOutput): LatencyStatistics {
  const { rttMicros, observations, droppedMessages, duplicatedMessages, outOfOrderMessages } = output;
  return withoutAbsent({
    rttMicros,
    observations,
    droppedMessages,
    duplicatedMessages,
    outOfOrderMessages,
    transactionsPerSecond: output.transactionsPerSecond,
    timerQuantumMicros: rttMicros === undefined ? undefined : timerQuantumMicros(rttMicros),
  });
}
