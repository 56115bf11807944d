/**
 * One line of iperf3's text, understood without the lines around it: live samples are cut from single chunks, whose
 * first line may stand anywhere in the output.
 */
import { MAX_LINE_LENGTH } from '../plain-line';

/** An interval or summary line: `[SUM][TX-C]   0.00-1.00   sec  12.0 MBytes  100650 Kbits/sec    0`. */
export interface RateLine {
  /** `sum`, or the tool's number of the stream. */
  readonly stream: string;
  /** Printed with `--bidir` only: whether this end sends or receives the stream, and which end it is. */
  readonly role?: { readonly isSender: boolean; readonly isServer: boolean };
  /** Of a run in a duty cycle: on the time axis of the first run. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number;
  /** Present on summary lines. */
  readonly side?: 'sender' | 'receiver';
  readonly congestionWindowBytes?: number;
  /** A lone whole number: retransmits of TCP, datagrams of a UDP sender. */
  readonly count?: number;
  readonly jitterMicros?: number;
  readonly lostPackets?: number;
  readonly packets?: number;
  readonly omitted?: boolean;
}

/** What our driver puts before every line of a duty cycle's run: which one it is, and when it began. */
const RUN_PREFIX = /^run (?<number>\d{1,4}) at (?<offset>\d{1,5}\.\d{3}) s: /;

/** @returns undefined for a line that is not of a duty cycle's run. */
export function runOfLine(line: string): { readonly number: number; readonly offsetSeconds: number } | undefined {
  const groups = RUN_PREFIX.exec(line)?.groups;
  return groups && { number: Number(groups.number), offsetSeconds: Number(groups.offset) };
}

const RATE_LINE =
  /\[ *(?<stream>SUM|\d+)\](?:\[(?<way>[TR]X)-(?<end>[CS])\])? +(?<start>\d+(?:\.\d+)?)- *(?<stop>\d+(?:\.\d+)?) +sec +(?<transfer>\S+) (?<transferUnit>[KMGTPE]?)Bytes +(?<rate>\S+) (?<unit>[KMGTP]?)(?<base>bits|Bytes)\/sec(?<rest>.*)$/;
const CONGESTION_WINDOW = /^ +(?<count>\d+) +(?<window>\d+(?:\.\d+)?) (?<unit>[KMG]?)Bytes/;
const DATAGRAMS = /^ +(?<jitter>\S+) ms +(?<lost>-?\d+)\/(?<total>-?\d+) /;
const LONE_COUNT = /^ +(?<count>\d+)(?: |$)/;

const DECIMAL = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15 } as const;
const BINARY = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40, P: 2 ** 50, E: 2 ** 60 } as const;
type Unit = keyof typeof DECIMAL;
type TransferUnit = keyof typeof BINARY;

/**
 * @returns undefined when the line is none of iperf3's rate lines, or carries no usable number (`-nan`). What stands
 * before the bracket is `--timestamps`' and ignored.
 */
export function parseRateLine(line: string): RateLine | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const match = RATE_LINE.exec(line);
  if (match?.groups === undefined) return undefined;
  const { stream, way, end, start, stop, transfer, transferUnit, rate, unit, base, rest } = match.groups;
  const offsetSeconds = runOfLine(line)?.offsetSeconds ?? 0;
  const startSeconds = toMillis(offsetSeconds + Number(start));
  const endSeconds = toMillis(offsetSeconds + Number(stop));
  // Bits are decimal, bytes binary, as iperf3's units.c has them.
  const factor = base === 'bits' ? DECIMAL[unit as Unit] : 8 * BINARY[unit as Unit];
  const transferBits = Number(transfer) * 8 * BINARY[transferUnit as TransferUnit];
  const bitsPerSecond = finerRate(rate!, factor, transferBits, endSeconds - startSeconds);
  if (!Number.isFinite(bitsPerSecond) || endSeconds < startSeconds) return undefined;
  const side = /\b(sender|receiver)\s*$/.exec(rest!)?.[1] as 'sender' | 'receiver' | undefined;
  return {
    stream: stream === 'SUM' ? 'sum' : stream!,
    ...(way && { role: { isSender: way === 'TX', isServer: end === 'S' } }),
    startSeconds,
    endSeconds,
    bitsPerSecond,
    ...(side && { side }),
    ...columnsAfterRate(rest!),
    ...(/\(omitted\)\s*$/.test(rest!) && { omitted: true }),
  };
}

/** The ends of an interval are printed with two decimals: of a shorter one, too few to divide by. */
const MIN_TRANSFER_SECONDS = 0.5;

/**
 * A unit that the user chose (`-f g`) can leave one digit of the rate, or none: `4.88 MBytes  0.04 Gbits/sec`. The
 * transfer beside it has always three, and says what was rounded away.
 */
function finerRate(rate: string, factor: number, transferBits: number, seconds: number): number {
  const printed = Number(rate) * factor;
  const digits = rate.replace('.', '').replace(/^0+/, '').length;
  if (factor === 1 || digits >= 3 || seconds < MIN_TRANSFER_SECONDS) return printed;
  const rounding = factor / 10 ** (rate.split('.')[1]?.length ?? 0);
  const transferred = transferBits / seconds;
  return Math.abs(transferred - printed) <= rounding ? transferred : printed;
}

/** Sums of decimal seconds carry binary dust. */
function toMillis(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

function columnsAfterRate(rest: string): Partial<RateLine> {
  const datagrams = DATAGRAMS.exec(rest)?.groups;
  if (datagrams) {
    const jitterMicros = Number(datagrams.jitter) * 1000;
    const lostPackets = Number(datagrams.lost);
    const packets = Number(datagrams.total);
    return {
      ...(Number.isFinite(jitterMicros) && { jitterMicros }),
      // Reordering can make iperf3 count a negative loss; that is no number of packets.
      ...(lostPackets >= 0 && { lostPackets }),
      ...(packets >= 0 && { packets }),
    };
  }
  const window = CONGESTION_WINDOW.exec(rest)?.groups;
  if (window) {
    return {
      count: Number(window.count),
      congestionWindowBytes: Math.round(Number(window.window) * BINARY[window.unit as Unit]),
    };
  }
  const count = LONE_COUNT.exec(rest)?.groups?.count;
  return count === undefined ? {} : { count: Number(count) };
}

/** @returns the complaint when the line is one, `iperf3: error - unable to connect to server: Connection refused`. */
export function errorOfLine(line: string): string | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const complaint = /\biperf3?: .+$/.exec(line)?.[0];
  // A UDP receiver reports reordered packets through the same channel; that is no failure.
  return complaint === undefined || complaint.includes('OUT OF ORDER') ? undefined : complaint.trim();
}
