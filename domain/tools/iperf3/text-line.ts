/** Parses one line of iperf3's text without its neighbours: a chunk may begin anywhere in the output. */
import { groupsIn, isRate, MAX_LINE_LENGTH, numberIn } from '../../parsers/text-lines';
import type { Side, TrafficCounts } from '../../parsers/tool-output';

/** An interval or summary: `[SUM][TX-C]   0.00-1.00   sec  12.0 MBytes  100650 Kbits/sec    0`. */
export interface RateLine extends Omit<TrafficCounts, 'retransmits'> {
  /** `sum`, or the tool's own number of the stream. */
  readonly stream: string;
  /** Only with `--bidir`: whether the host that printed this sends or receives the stream, and which host it is. */
  readonly role?: { readonly isSender: boolean; readonly isServer: boolean };
  /** Seconds; in a duty cycle, on the time axis of the first run. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number;
  /** The side whose figures these are; present on summary lines only. */
  readonly side?: Side;
  readonly congestionWindowBytes?: number;
  /** A single whole number after the rate: retransmits of TCP, or datagrams of a UDP sender. */
  readonly count?: number;
  /** Whether its numbers of datagrams include part of the warm-up. */
  readonly countsWarmUp: boolean;
  /** Whether it is part of the warm-up (`--omit`). */
  readonly isOmitted: boolean;
}

/** The driver's prefix on each line of a run in a duty cycle: the run's number, and when it began. */
const RUN_PREFIX = /^run (?<number>\d{1,4}) at (?<offset>\d{1,5}\.\d{3}) s: /;

/** @returns undefined if the line is not from a run of a duty cycle */
export function runOfLine(line: string): { readonly number: number; readonly offsetSeconds: number } | undefined {
  const groups = groupsIn(line, RUN_PREFIX, ['number', 'offset']);
  return groups && { number: Number(groups.number), offsetSeconds: Number(groups.offset) };
}

/** The longest tests last some weeks, which is seven digits of seconds. */
const RATE_LINE =
  /\[ *(?<stream>SUM|\d+)\](?:\[(?<way>[TR]X)-(?<end>[CS])\])? +(?<start>\d{1,7}(?:\.\d+)?)- *(?<stop>\d{1,7}(?:\.\d+)?) +sec +(?<transfer>\S+) (?<transferUnit>[KMGTPE]?)Bytes +(?<rate>\S+) (?<unit>[KMGTP]?)(?<base>bits|Bytes)\/sec(?<rest>.*)$/;
const RATE_GROUPS = [
  'stream',
  'way',
  'end',
  'start',
  'stop',
  'transfer',
  'transferUnit',
  'rate',
  'unit',
  'base',
  'rest',
] as const;
const CONGESTION_WINDOW = /^ +(?<count>\d{1,15}) +(?<window>\d{1,15}(?:\.\d+)?) (?<unit>[KMG]?)Bytes/;
const DATAGRAMS = /^ +(?<jitter>\S+) ms +(?<lost>-?\d{1,15})\/(?<total>-?\d{1,15}) /;
const LONE_COUNT = /^ +(\d{1,15})(?: |$)/;

const DECIMAL = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 } as const;
const BINARY = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40, P: 2 ** 50, E: 2 ** 60 } as const;
type Unit = keyof typeof DECIMAL;
type TransferUnit = keyof typeof BINARY;

/**
 * Ignores what precedes the bracket, such as the output of `--timestamps`.
 * @returns undefined if the line is not a rate line of iperf3, or has an impossible rate (`-nan`, `-1e+99`)
 */
export function parseRateLine(line: string): RateLine | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const groups = groupsIn(line, RATE_LINE, RATE_GROUPS);
  if (groups === undefined) return undefined;
  const { stream, way, end, rate, rest } = groups;
  const offsetSeconds = runOfLine(line)?.offsetSeconds ?? 0;
  // Rounding to milliseconds removes floating-point errors.
  const onAxis = (seconds: number) => Math.round((offsetSeconds + seconds) * 1000) / 1000;
  // Bits have decimal prefixes and bytes binary ones, as in iperf3's units.c.
  const factor = groups.base === 'bits' ? DECIMAL[groups.unit as Unit] : 8 * BINARY[groups.unit as Unit];
  const transferBits = Number(groups.transfer) * 8 * BINARY[groups.transferUnit as TransferUnit];
  const printed = { startSeconds: Number(groups.start), endSeconds: Number(groups.stop) };
  const printedRate = finerRate(rate, factor, transferBits, printed.endSeconds - printed.startSeconds);
  if (!isRate(printedRate) || printed.endSeconds < printed.startSeconds) return undefined;
  const restarted = sinceWarmUp({ ...printed, bitsPerSecond: printedRate }, transferBits / printedRate);
  const { startSeconds, endSeconds, bitsPerSecond } = restarted ?? { ...printed, bitsPerSecond: printedRate };
  return {
    stream: stream === 'SUM' ? 'sum' : stream,
    role: way === '' ? undefined : { isSender: way === 'TX', isServer: end === 'S' },
    startSeconds: onAxis(startSeconds),
    endSeconds: onAxis(endSeconds),
    bitsPerSecond,
    side: /\b(sender|receiver)\s*$/.exec(rest)?.[1] as Side | undefined,
    ...columnsAfterRate(rest),
    countsWarmUp: restarted !== undefined,
    isOmitted: /\(omitted\)\s*$/.test(rest),
  };
}

/** For shorter intervals, two decimals of the start and end times are too few to compute a rate. */
const MIN_TRANSFER_SECONDS = 0.5;

/**
 * A unit that the user chose (`-f g`) can leave one digit of the rate, or none: `4.88 MBytes  0.04 Gbits/sec`. The
 * transfer beside it always has three digits and restores what was rounded away.
 */
function finerRate(rate: string, factor: number, transferBits: number, seconds: number): number {
  const printed = Number(rate) * factor;
  const digits = rate.replace('.', '').replace(/^0+/, '').length;
  if (factor === 1 || digits >= 3 || seconds < MIN_TRANSFER_SECONDS) return printed;
  const rounding = factor / 10 ** (rate.split('.')[1]?.length ?? 0);
  const transferred = transferBits / seconds;
  return Math.abs(transferred - printed) <= rounding ? transferred : printed;
}

/** Relative tolerance: transfer and rate are printed with three digits. */
const ROUNDING = 0.02;

/**
 * Corrects the first interval after a warm-up (`--omit`). When the warm-up ends, iperf3 3.12 and others reset clock and
 * bytes, but not the start time of the running interval. That time then lies before 0 and is printed without its minus,
 * and the rate is the bytes since 0 divided by the longer time. After two seconds of warm-up, `1.00-1.00 … 9.96` means
 * the interval 0 to 1 at 19.9. Datagrams are not reset (`iperf_reset_stats` in iperf_api.c).
 * @param ratedSeconds the time over which the rate was calculated
 * @returns the corrected interval, on the clock that starts after the warm-up; undefined for any other interval
 */
export function sinceWarmUp<Interval extends Pick<RateLine, 'startSeconds' | 'endSeconds' | 'bitsPerSecond'>>(
  interval: Interval,
  ratedSeconds: number,
): Interval | undefined {
  const { startSeconds, endSeconds, bitsPerSecond } = interval;
  const beganBefore = startSeconds + endSeconds;
  const isRatedOver = (seconds: number) => Math.abs(ratedSeconds - seconds) <= ROUNDING * seconds;
  if (endSeconds === 0 || !isRatedOver(beganBefore) || isRatedOver(endSeconds - startSeconds)) return undefined;
  return { ...interval, startSeconds: 0, bitsPerSecond: (bitsPerSecond * beganBefore) / endSeconds };
}

function columnsAfterRate(rest: string): Partial<RateLine> {
  const datagrams = groupsIn(rest, DATAGRAMS, ['jitter', 'lost', 'total']);
  if (datagrams) {
    const jitterMicros = Number(datagrams.jitter) * 1000;
    // Reordering can make iperf3 count a negative loss, which is omitted.
    const packetsOf = (digits: string) => (Number(digits) >= 0 ? Number(digits) : undefined);
    return {
      jitterMicros: Number.isFinite(jitterMicros) && jitterMicros >= 0 ? jitterMicros : undefined,
      lostPackets: packetsOf(datagrams.lost),
      packets: packetsOf(datagrams.total),
    };
  }
  const window = groupsIn(rest, CONGESTION_WINDOW, ['count', 'window', 'unit']);
  if (window) {
    return {
      count: Number(window.count),
      congestionWindowBytes: Math.round(Number(window.window) * BINARY[window.unit as Unit]),
    };
  }
  return { count: numberIn(rest, LONE_COUNT) };
}

/** @returns the message of a line such as `iperf3: error - unable to connect to server: Connection refused` */
export function errorOfLine(line: string): string | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const message = /\biperf3?: .+$/.exec(line)?.[0];
  // A UDP receiver reports reordered packets in the same form, which is not a failure.
  return message === undefined || message.includes('OUT OF ORDER') ? undefined : message.trim();
}
