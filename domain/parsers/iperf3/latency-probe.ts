/** A latency probe's lines among those of the tool that it ran beside: `probe: 12.346 213.074`, in s and µs. */
import { groupsIn } from '../text-lines';
import type { ThroughputOutput } from '../tool-output';
import { byStart } from '../tool-series';

const ROUND_TRIP = /^probe: (?<start>\d{1,5}\.\d{3}) (?<micros>\d{1,10}\.\d{3})$/;
/** A window in which no reply came back, with sockperf's own reason. */
const SILENT_WINDOW = /^probe: none: (.{1,400})$/;

export function isProbeLine(line: string): boolean {
  return line.startsWith('probe: ');
}

/** The output with the round trips that were measured beside it; unchanged where no probe ran. */
export function withProbe(output: ThroughputOutput, text: string): ThroughputOutput {
  const lines = text.split('\n').filter(isProbeLine);
  if (lines.length === 0) return output;
  const roundTrips = lines.flatMap((line) => {
    const trip = groupsIn(line, ROUND_TRIP, ['start', 'micros']);
    return trip === undefined ? [] : [{ startSeconds: Number(trip.start), rttMicros: Number(trip.micros) }];
  });
  const reasons = lines.flatMap((line) => SILENT_WINDOW.exec(line)?.[1] ?? []);
  const silence = reasons
    .slice(-1)
    .map((reason) => `latency probe: nothing came back in ${reasons.length} of its windows: ${reason}`);
  // Windows overlap and are printed when they end, so their lines are not in order.
  return { ...output, roundTrips: roundTrips.sort(byStart), warnings: [...output.warnings, ...silence] };
}
