/** What a reader of round trips has to know before believing them. */
import type { RttQuantiles } from '../model/statistics';
import { unsupportedPercentiles } from '../model/percentiles';
import { timerQuantumMicros } from './timer-quantum';

export function latencyWarnings(rttMicros: RttQuantiles, observations: number): string[] {
  const unsupported = unsupportedPercentiles(rttMicros, observations);
  const quantum = timerQuantumMicros(rttMicros);
  return [
    ...(unsupported.length === 0
      ? []
      : [
          `${unsupported.join(', ')}: not supported by ${observations} ${observations === 1 ? 'observation' : 'observations'}`,
        ]),
    ...(quantum === undefined
      ? []
      : [
          `timer_quantised: the percentiles are multiples of ${quantum / 1000} ms, a timer of the hosts and not the network`,
        ]),
  ];
}
