/**
 * Parses the text of iputils' ping by its structure and not by its words, which differ between versions and languages.
 * Other implementations (busybox prints `seq=` and no deviation) are not supported.
 */
import { ascending } from '../../maths/statistics';
import { supportedPercentiles } from '../../model/percentiles';
import type { RttQuantiles } from '../../model/statistics';
import { latencyWarnings } from '../../parsers/latency-warnings';
import { lastRun } from '../../parsers/runs-of-file';
import { numberIn, plainLines, STAMP, withoutStamp } from '../../parsers/text-lines';
import type { LatencyOutput } from '../../parsers/tool-output';
import { anyLine, type OutputForm } from '../output-forms';

/** Recognised by the first line of a run, a reply or error with `icmp_seq`, or an error that begins with `ping: `. */
export const PING_FORM: OutputForm = {
  name: 'ping',
  line: anyLine(
    String.raw`^(?:${STAMP})?PING \S.{0,600}(?:\d\(\d{1,6}\)|\)(?: from .{1,300}:)? \d{1,6} data bytes)`,
    String.raw`^(?:${STAMP})?ping: (?:[^:\n]{1,255}: \S|unknown host )`,
    String.raw`^[^\n",;<]{0,300}\bicmp_[rs]eq[= ]\d`,
  ),
  parse: (text) => parsePingText(text),
};

/** A reply: `64 bytes from 10.0.0.2: icmp_seq=1 ttl=63 time=0.301 ms`; `icmp_req` until 2012. */
const REPLY = /\bicmp_[rs]eq[= ]\d+\b(.*)/;
/** The last time in a reply, searched from its end, because a line may contain many beginnings of a reply. */
const REPLY_TIME = /^.*[=<] ?(\d{1,9}(?:[.,]\d+)?) ?ms\b/;
/** `100 packets transmitted, 98 received, +2 duplicates, 2% packet loss, time 19842ms` */
const SUMMARY = /^(\d+) [^,\d]+, (\d+) [^,\d]+,.*\d ?%/m;
/** `rtt min/avg/max/mdev = 0.301/0.410/0.934/0.034 ms`, below the summary; a SIGQUIT prints another one above it. */
const ROUND_TRIPS = /= *([\d.]+)\/([\d.]+)\/([\d.]+)\/([\d.]+) *ms/;
/** `From 10.0.0.1 icmp_seq=3 Destination Host Unreachable`, `ping: connect: Network is unreachable` */
const ERROR = /^(?:From \S+ .*icmp_[rs]eq[= ]\d+ (.+)|(?:ping: |connect: )(?:connect: )?(?!warning)(.+))$/i;

const isDuplicate = (line: string) => line.includes('(DUP!)');

/** @param packetCount how many packets should be sent, if known */
export function parsePingText(text: string, packetCount?: number): LatencyOutput {
  const lines = plainLines(text).map(withoutStamp);
  const toolVersion = /from iputils[- ]s?([\d.]+)/.exec(lines.join('\n'))?.[1];
  // The first line of a run names the host.
  return lastRun(
    lines,
    (line) => line.startsWith('PING '),
    (run) => parseRun(run, packetCount, toolVersion),
    ({ observations }) => observations !== undefined,
  );
}

function parseRun(lines: readonly string[], packetCount?: number, toolVersion?: string): LatencyOutput {
  const text = lines.join('\n');
  const replies = ascending(
    lines
      .filter((line) => !isDuplicate(line))
      .flatMap((line) => microsOf(REPLY_TIME.exec(REPLY.exec(line)?.[1] ?? '')?.[1]) ?? []),
  );
  const summary = SUMMARY.exec(text);
  const [sent, received] = summary?.slice(1).map(Number) ?? [];
  const rttMicros = roundTrips(replies, summary === null ? '' : text.slice(summary.index));
  // With -q or -f, ping prints only the summary.
  const observations = rttMicros === undefined ? undefined : replies.length || received;
  const errors = [...new Set(lines.flatMap(errorOf))];
  const incompleteReason = missingPart({ sent, received, observations, packetCount }, errors.at(-1));
  const durationMillis = summary === null ? undefined : numberIn(restOfLine(text, summary), /^ \D*\b(\d+) ?ms$/);
  return {
    kind: 'latency',
    tool: 'ping',
    toolVersion,
    durationSeconds: durationMillis === undefined ? undefined : durationMillis / 1000,
    rttMicros,
    observations,
    droppedMessages: sent === undefined || received === undefined ? undefined : sent - received,
    duplicatedMessages:
      summary === null ? undefined : (numberIn(summary[0], /\+(\d+) dup/) ?? lines.filter(isDuplicate).length),
    complete: incompleteReason === undefined,
    incompleteReason,
    // The reason says more than the last printed error.
    errors: incompleteReason === undefined ? errors : [incompleteReason],
    warnings: latencyWarnings({ rttMicros, observations }),
  };
}

function restOfLine(text: string, { 0: matched, index }: RegExpExecArray): string {
  const [rest = ''] = text.slice(index + matched.length).split('\n', 1);
  return rest;
}

function errorOf(line: string): string[] {
  const [, unreachable, failed]: readonly (string | undefined)[] = ERROR.exec(line) ?? [];
  return [unreachable ?? failed].filter((words) => words !== undefined);
}

function microsOf(milliseconds: string | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(Number(milliseconds.replace(',', '.')) * 1e6) / 1e3;
}

/** Percentiles are of the replies; mean, extremes and deviation as printed, or of the replies if ping was cut off. */
function roundTrips(replies: readonly number[], summary: string): RttQuantiles | undefined {
  const [, printedMin, printedMean, printedMax, printedStdDev] = ROUND_TRIPS.exec(summary) ?? [];
  const min = microsOf(printedMin) ?? replies[0];
  const max = microsOf(printedMax) ?? replies.at(-1);
  if (min === undefined || max === undefined) return undefined;
  return {
    mean: microsOf(printedMean) ?? replies.reduce((sum, reply) => sum + reply, 0) / replies.length,
    stdDev: microsOf(printedStdDev),
    min,
    ...supportedPercentiles(replies),
    max,
  };
}

type Counts = Partial<Record<'sent' | 'received' | 'observations' | 'packetCount', number>>;

function missingPart({ sent, received, observations, packetCount }: Counts, lastError?: string): string | undefined {
  const why = lastError === undefined ? '' : `: ${lastError}`;
  if (sent === undefined) {
    return observations === undefined ? `no replies and no statistics${why}` : 'no final statistics';
  }
  // Packets of less than 16 bytes have no room for the send time.
  if (received && observations === undefined) return `no round trip times of ${received} replies${why}`;
  if (observations === undefined) return `no reply to ${sent} packets${why}`;
  if (packetCount !== undefined && sent < packetCount) return `${sent} of ${packetCount} packets were sent${why}`;
  return undefined;
}
