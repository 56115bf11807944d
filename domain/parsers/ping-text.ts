/**
 * The text of iputils' ping, by its structure and not by its words: versions and languages differ in them. Other pings
 * (busybox has `seq=` and no deviation) are not understood.
 */
import type { RttQuantiles } from '../measurement/statistics';
import { latencyWarnings } from '../statistics/latency-warnings';
import { isSupported, PERCENTILE_FIELDS } from '../statistics/percentile-support';
import { ascending, nearestRank } from '../statistics/quantiles';
import { withoutAbsent } from './tool-series';
import { numberOf } from './number-of';
import { plainLines } from './plain-line';
import type { LatencyOutput } from './tool-output';

/** `64 bytes from 10.0.0.2: icmp_seq=1 ttl=63 time=0.301 ms`; `icmp_req` until 2012. */
const REPLY = /\bicmp_[rs]eq[= ]\d+\b.*[=<] ?(\d+(?:[.,]\d+)?) ?ms\b/;
/** `100 packets transmitted, 98 received, +2 duplicates, 2% packet loss, time 19842ms` */
const SUMMARY = /^(\d+) [^,\d]+, (\d+) [^,\d]+,.*\d ?%/m;
/** `rtt min/avg/max/mdev = 0.301/0.410/0.934/0.034 ms` */
const ROUND_TRIPS = /= *([\d.]+)\/([\d.]+)\/([\d.]+)\/([\d.]+) *ms/;
/** `From 10.0.0.1 icmp_seq=3 Destination Host Unreachable`, `ping: connect: Network is unreachable` */
const ERROR = /^(?:From \S+ .*icmp_[rs]eq[= ]\d+ (.+)|(?:ping: |connect: )(?:connect: )?(?!warning)(.+))$/i;

const hasReply = (line: string) => REPLY.test(line) && !line.includes('(DUP!)');

export function isPingText(text: string): boolean {
  return /^(?:PING \S.*\d\(\d+\)|ping: )/m.test(text) || /^.{0,60}\bicmp_[rs]eq[= ]\d/m.test(text);
}

/** @param packetCount how many were to be sent, where that is known */
export function parsePingText(text: string, packetCount?: number): LatencyOutput {
  const lines = plainLines(text);
  const replies = ascending(lines.filter(hasReply).map((line) => micros(REPLY.exec(line)![1]!)));
  const [, sent, received] = SUMMARY.exec(lines.join('\n'))?.map(Number) ?? [];
  const rttMicros = roundTrips(text, replies);
  const errors = [...new Set(lines.flatMap((line) => ERROR.exec(line)?.slice(1).filter(Boolean) ?? []))] as string[];
  const reason = missingPart({ sent, replyCount: replies.length, packetCount, errors });
  return withoutAbsent({
    kind: 'latency' as const,
    tool: 'ping',
    toolVersion: /from iputils[- ]s?([\d.]+)/.exec(text)?.[1],
    durationSeconds: seconds(numberOf(text, /% [^\d]*\b(\d+) ?ms$/m)),
    rttMicros,
    observations: rttMicros === undefined ? undefined : replies.length,
    droppedMessages: sent === undefined || received === undefined ? undefined : sent - received,
    duplicatedMessages: sent === undefined ? undefined : lines.filter((line) => line.includes('(DUP!)')).length,
    complete: reason === undefined,
    incompleteReason: reason,
    // Its last line says less than this.
    errors: reason === undefined ? errors : [reason],
    warnings: rttMicros === undefined ? [] : latencyWarnings(rttMicros, replies.length),
  });
}

function micros(milliseconds: string): number {
  return Math.round(Number(milliseconds.replace(',', '.')) * 1e6) / 1e3;
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

/** Mean, extremes and deviation as ping has them; of one that was cut off, from its replies. Percentiles are of the replies. */
function roundTrips(text: string, replies: readonly number[]): RttQuantiles | undefined {
  if (replies.length === 0) return undefined;
  const percentiles = PERCENTILE_FIELDS.filter(([percentile]) => isSupported(percentile, replies.length)).map(
    ([percentile, field]) => [field, nearestRank(replies, percentile)] as const,
  );
  const [, min, mean, max, stdDev] = ROUND_TRIPS.exec(text)?.map(micros) ?? [];
  const average = replies.reduce((sum, reply) => sum + reply, 0) / replies.length;
  return withoutAbsent({
    mean: mean ?? average,
    stdDev,
    min: min ?? replies[0]!,
    ...(Object.fromEntries(percentiles) as Partial<RttQuantiles>),
    max: max ?? replies.at(-1)!,
  });
}

interface Found {
  readonly sent?: number;
  readonly replyCount: number;
  readonly packetCount?: number;
  readonly errors: readonly string[];
}

function missingPart({ sent, replyCount, packetCount, errors }: Found): string | undefined {
  const why = errors.length === 0 ? '' : `: ${errors.at(-1)!}`;
  if (sent === undefined) return replyCount === 0 ? `no replies and no statistics${why}` : 'no final statistics';
  if (replyCount === 0) return `no reply to ${sent} packets${why}`;
  if (packetCount !== undefined && sent < packetCount) return `${sent} of ${packetCount} packets were sent${why}`;
  return undefined;
}
