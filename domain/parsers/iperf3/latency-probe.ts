/** The lines of a latency probe among those of the tool beside which it ran: `probe: 12.346 213.074`, seconds and microseconds. */
import type { RoundTrip, ThroughputOutput } from '../tool-output';

const MARK = 'probe: ';
const ROUND_TRIP = /^probe: (?<start>\d{1,5}\.\d{3}) (?<micros>\d{1,10}\.\d{3})$/;
/** A window in which nothing came back, with sockperf's own reason. */
const SILENT_WINDOW = /^probe: none: (?<reason>.{1,400})$/;

export function isProbeLine(line: string): boolean {
  return line.startsWith(MARK);
}

/** The output with the round trips that were measured beside it; unchanged where no probe ran. */
export function withProbe(output: ThroughputOutput, text: string): ThroughputOutput {
  const lines = text.split('\n').filter(isProbeLine);
  if (lines.length === 0) return output;
  const roundTrips: RoundTrip[] = lines.flatMap((line) => {
    const trip = ROUND_TRIP.exec(line)?.groups;
    return trip === undefined ? [] : [{ startSeconds: Number(trip.start), rttMicros: Number(trip.micros) }];
  });
  const silent = lines.flatMap((line) => SILENT_WINDOW.exec(line)?.groups?.reason ?? []);
  return {
    ...output,
    // Windows overlap, and are written down when they end.
    roundTrips: roundTrips.sort((left, right) => left.startSeconds - right.startSeconds),
    warnings: [
      ...output.warnings,
      ...(silent.length === 0
        ? []
        : [`latency probe: nothing came back in ${silent.length} of its windows: ${silent.at(-1)!}`]),
    ],
  };
}
