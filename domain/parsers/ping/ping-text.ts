/**
 * The text of iputils' ping, by its structure and not by its words: versions and languages differ in them. Other pings
 * (busybox has `seq=` and no deviation) are not understood.
 */
import type { RttQuantiles } from '../../model/statistics';
import { latencyWarnings } from '../latency-warnings';
import { supportedPercentiles } from '../../model/percentiles';
import { ascending } from '../../maths/quantiles';
import { withoutAbsent } from '../tool-series';
import { numberOf } from '../number-of';
import { plainLines } from '../plain-line';
import { lastMeasured, splitRuns } from '../runs-of-file';
import type { LatencyOutput } from '../tool-output';

/** `64 bytes from 10.0.0.2: icmp_seq=1 ttl=63 time=0.301 ms`; `icmp_req` until 2012. */
const REPLY = /\bicmp_[rs]eq[= ]\d+\b.*[=<] ?(\d+(?:[.,]\d+)?) ?ms\b/;
/** `100 packets transmitted, 98 received, +2 duplicates, 2% packet loss, time 19842ms` */
const SUMMARY = /^(\d+) [^,\d]+, (\d+) [^,\d]+,.*\d ?%/m;
/** Below the summary: `rtt min/avg/max/mdev = 0.301/0.410/0.934/0.034 ms`. Above it, a SIGQUIT prints a mean of another kind. */
const ROUND_TRIPS = /= *([\d.]+)\/([\d.]+)\/([\d.]+)\/([\d.]+) *ms/;
/** `From 10.0.0.1 icmp_seq=3 Destination Host Unreachable`, `ping: connect: Network is unreachable` */
const ERROR = /^(?:From \S+ .*icmp_[rs]eq[= ]\d+ (.+)|(?:ping: |connect: )(?:connect: )?(?!warning)(.+))$/i;

const hasReply = (line: string) => REPLY.test(line) && !line.includes('(DUP!)');

export function isPingText(text: string): boolean {
  return (
    /^(?:PING \S.*(?:\d\(\d+\)|\)(?: from .*:)? \d+ data bytes)|ping: )/m.test(text) ||
    /^.{0,60}\bicmp_[rs]eq[= ]\d/m.test(text)
  );
}

/** @param packetCount how many were to be sent, where that is known */
export function parsePingText(text: string, packetCount?: number): LatencyOutput {
  const toolVersion = /from iputils[- ]s?([\d.]+)/.exec(text)?.[1];
  // Each run opens with whom it pings.
  const runs = splitRuns(plainLines(text), (line) => line.startsWith('PING '));
  return lastMeasured(runs.map((lines) => parseRun(lines, packetCount, toolVersion)));
}

function parseRun(lines: readonly string[], packetCount?: number, toolVersion?: string): LatencyOutput {
  const text = lines.join('\n');
  const replies = ascending(lines.filter(hasReply).map((line) => micros(REPLY.exec(line)![1]!)));
  const summary = SUMMARY.exec(text);
  const [sent, received] = summary?.slice(1).map(Number) ?? [];
  const rttMicros = roundTrips(replies, summary === null ? '' : text.slice(summary.index));
  // Told to be quiet (-q, -f), it prints the summary alone.
  const observations = rttMicros === undefined ? undefined : replies.length || received;
  const errors = [...new Set(lines.flatMap((line) => ERROR.exec(line)?.slice(1).filter(Boolean) ?? []))] as string[];
  const reason = missingPart({ sent, received, observations, packetCount, errors });
  return withoutAbsent({
    kind: 'latency' as const,
    tool: 'ping',
    toolVersion,
    durationSeconds: seconds(numberOf(text, /% [^\d]*\b(\d+) ?ms$/m)),
    rttMicros,
    observations,
    droppedMessages: sent === undefined || received === undefined ? undefined : sent - received,
    duplicatedMessages:
      summary === null
        ? undefined
        : (numberOf(summary[0], /\+(\d+) dup/) ?? lines.filter((line) => line.includes('(DUP!)')).length),
    complete: reason === undefined,
    incompleteReason: reason,
    // Its last line says less than this.
    errors: reason === undefined ? errors : [reason],
    warnings: rttMicros === undefined || observations === undefined ? [] : latencyWarnings(rttMicros, observations),
  });
}

function micros(milliseconds: string): number {
  return Math.round(Number(milliseconds.replace(',', '.')) * 1e6) / 1e3;
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

/** Mean, extremes and deviation as ping has them; of one that was cut off, from its replies. Percentiles are of the replies. */
function roundTrips(replies: readonly number[], summary: string): RttQuantiles | undefined {
  const [, min, mean, max, stdDev] = ROUND_TRIPS.exec(summary)?.map(micros) ?? [];
  if (replies.length === 0 && mean === undefined) return undefined;
  const average = replies.reduce((sum, reply) => sum + reply, 0) / replies.length;
  return withoutAbsent({
    mean: mean ?? average,
    stdDev,
    min: min ?? replies[0]!,
    ...supportedPercentiles(replies),
    max: max ?? replies.at(-1)!,
  });
}

interface Found {
  readonly sent?: number;
  readonly received?: number;
  readonly observations?: number;
  readonly packetCount?: number;
  readonly errors: readonly string[];
}

function missingPart({ sent, received, observations, packetCount, errors }: Found): string | undefined {
  const why = errors.length === 0 ? '' : `: ${errors.at(-1)!}`;
  if (sent === undefined)
    return observations === undefined ? `no replies and no statistics${why}` : 'no final statistics';
  // Packets of less than 16 bytes carry no time.
  if (received && observations === undefined) return `no round trip times of ${received} replies${why}`;
  if (observations === undefined) return `no reply to ${sent} packets${why}`;
  if (packetCount !== undefined && sent < packetCount) return `${sent} of ${packetCount} packets were sent${why}`;
  return undefined;
}
