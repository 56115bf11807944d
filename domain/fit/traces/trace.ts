/**
 * A trace: how much some hosts received and sent, interval by interval, whatever file it was read from. A reader hands
 * over what it found; here it is put in order, and said in words. What a file does not hold stays unknown, never 0.
 */
import { elementAt, groupBy } from '../../maths/elements';
import { ascending, largest, median, smallest, sum } from '../../maths/statistics';
import { endOf, type RateInterval } from '../../series/rate-series';
import { counted, duration } from '../../text/format';

export type TraceDirection = 'in' | 'out' | 'not_stated';

export interface TraceSeries {
  readonly instance: string;
  readonly direction: TraceDirection;
  /** In order of time once they are part of a trace; what lies between two of them is unknown. */
  readonly intervals: readonly RateInterval[];
}

export interface ReadFile {
  /** `CloudWatch get-metric-data`, for people. */
  readonly form: string;
  /** Which unit and statistic the values have, and by what they are known. */
  readonly unit: string;
  readonly series: readonly TraceSeries[];
  /** Of any host in any interval, both directions together; absent without packets. */
  readonly highestPacketsPerSecond?: number;
  /** What was left out, and what a reader of the figures has to know. */
  readonly notes?: readonly string[];
}

export interface Trace extends Pick<ReadFile, 'series' | 'highestPacketsPerSecond'> {
  readonly startSeconds: number;
  /** Sentences: what was read of which file, in which unit, and what is unknown. */
  readonly read: readonly string[];
}

/** In the label or the name of a file, it names the host. */
export const INSTANCE_ID = /\bi-[0-9a-f]{8,17}\b/;
export const UNNAMED = 'the host';

export const leftOutNotes = (names: readonly string[]) =>
  names.length === 0 ? [] : [`left out: ${[...new Set(names)].join('; ')}`];

const SHOWN_CHARACTERS = 60;

/** @throws Error that says where, what must be there, what is there instead, and a hint such as `; --statistic says it` */
export function refuse(where: string, must: string, got: unknown, hint = ''): never {
  const text = got === undefined ? 'nothing' : JSON.stringify(got);
  const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  throw new Error(`${where}: must be ${must}, got ${shown}${hint}`);
}

/** Reads a number of JSON or of a text, in a unit that the reader knows. */
export function amountAt(where: string, value: unknown): number {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof amount === 'number' && Number.isFinite(amount) && amount >= 0) return amount;
  return refuse(where, 'a number from 0 on', value);
}

/** Reads a time with its zone, or seconds since 1970 or since the beginning of the file. */
export function timeAt(where: string, value: unknown): number {
  return secondsOf(String(value)) ?? refuse(where, TIME_WORDS, value);
}

/** A smaller share of an interval is the clock's unrest, and neither a gap nor an overlap. */
const UNREST = 0.5;
/** Before September 2001, a time is not one since 1970, but one since the beginning of the file. */
const FIRST_UNIX_SECONDS = 1e9;

const isUnixTime = (seconds: number) => seconds >= FIRST_UNIX_SECONDS;

/** @param files in any order: two answers may be two pages, or two metrics, of the same host */
export function traceOf(files: readonly ReadFile[]): Trace {
  const all = files.flatMap((file) => file.series);
  const pages = groupBy(all, ({ instance, direction }) => JSON.stringify([instance, direction]));
  const series = [...pages.values()].map(inOrder);
  if (series.length === 0) refuse('trace', 'bytes or rates in at least one interval', undefined);
  const packets = files.flatMap(({ highestPacketsPerSecond }) => highestPacketsPerSecond ?? []);
  const starts = series.map(({ intervals }) => elementAt(intervals, 0).startSeconds);
  if (starts.some(isUnixTime) && !starts.every(isUnixTime)) {
    throw new Error('trace: must have times of one kind, got files with a date and files without');
  }
  return {
    series,
    ...(packets.length > 0 && { highestPacketsPerSecond: largest(packets) }),
    startSeconds: smallest(starts),
    read: [...files.map(({ form, unit }) => `${form}: ${unit}.`), ...series.map(inWords), ...files.flatMap(notesOf)],
  };
}

const notesOf = ({ form, notes = [] }: ReadFile) => notes.map((note) => `${form}: ${note}.`);

function inOrder(pages: readonly [TraceSeries, ...TraceSeries[]]): TraceSeries {
  const [{ instance, direction }] = pages;
  const intervals = pages.flatMap((page) => page.intervals).sort((a, b) => a.startSeconds - b.startSeconds);
  if (intervals.length === 0) refuse(`${instance} ${direction}`, 'at least one value', undefined);
  const twice = intervals.find(({ startSeconds }, index) => {
    const before = intervals[index - 1];
    return before !== undefined && endOf(before) - startSeconds > UNREST * before.lengthSeconds;
  });
  if (twice === undefined) return { instance, direction, intervals };
  const { startSeconds } = twice;
  const time = isUnixTime(startSeconds) ? instantOf(startSeconds) : startSeconds;
  const hint = '; if they are of two hosts, name each with an instance id in the label or in the name of the file';
  return refuse(`${instance} ${direction} at ${time}`, 'one value', 2, hint);
}

const instantOf = (unixSeconds: number) => `${new Date(unixSeconds * 1000).toISOString().slice(0, 19)}Z`;

/** The time between two intervals of which nothing is known. */
export function gapBefore(interval: RateInterval, before: RateInterval | undefined): number {
  if (before === undefined) return 0;
  const seconds = interval.startSeconds - endOf(before);
  return seconds > UNREST * Math.min(interval.lengthSeconds, before.lengthSeconds) ? seconds : 0;
}

function inWords({ instance, direction, intervals }: TraceSeries): string {
  const gaps = intervals.map((each, index) => gapBefore(each, intervals[index - 1])).filter((seconds) => seconds > 0);
  const typical = median(intervals.map(({ lengthSeconds }) => lengthSeconds));
  const where = direction === 'not_stated' ? 'in a direction that the file does not state' : direction;
  const { startSeconds } = elementAt(intervals, 0);
  const from = isUnixTime(startSeconds) ? ` from ${instantOf(startSeconds)}` : '';
  const unknown = gaps.length === 0 ? 'no gaps' : `${counted(gaps.length, 'gap')}, ${duration(sum(gaps))} unknown`;
  return `${instance}, ${where}: ${counted(intervals.length, 'interval')} of ${Number(typical.toPrecision(6))} s${from}, ${unknown}.`;
}

const DATED = /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(?:(Z|UTC)|([+-]\d\d):?(\d\d))$/;
/** The year 5138 in seconds, and 1973 in milliseconds. */
const MILLISECONDS_FROM = 1e11;
const TIME_WORDS = 'a time with its zone, as 2026-11-28T01:05:00Z, or seconds (not milliseconds)';

/** @returns undefined for anything but `TIME_WORDS` */
export function secondsOf(text: string): number | undefined {
  const written = text.trim();
  if (/^\d+(\.\d+)?$/.test(written)) return Number(written) < MILLISECONDS_FROM ? Number(written) : undefined;
  const [, year, month, day, time, utc, hours, minutes] = DATED.exec(written) ?? [];
  const milliseconds = Date.parse(`${year}-${month}-${day}T${time}${utc === undefined ? `${hours}:${minutes}` : 'Z'}`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds / 1000;
}

/** The least distance of two times, which is the length of an interval; undefined for a single time. */
export function spacing(times: readonly number[]): number | undefined {
  const sorted = ascending([...new Set(times)]);
  const steps = sorted.slice(1).map((time, index) => time - elementAt(sorted, index));
  return steps.length === 0 ? undefined : smallest(steps);
}
