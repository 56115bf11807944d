/** Reading a tool's text: its lines without what terminals and other systems add, and what a pattern finds in them. */

import { printable } from '../text/printable';

/**
 * No tool prints longer lines. They are left out before any pattern reads them, because the time of some patterns grows
 * with the square of a line.
 */
export const MAX_LINE_LENGTH = 2000;

/**
 * Removes colour codes, and the carriage return of files that passed through another system. What a terminal would obey is
 * made printable here, so that no message that is taken from a line has it.
 */
export function plainLine(line: string): string {
  return printable(withoutEnd(line.replace(/\u001b\[[0-9;]*m/g, ''), '\r\u0000'));
}

/** Removes the characters from the end of a text. `/[…]+$/` takes time that grows with the square of their number. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

export function plainLines(text: string): string[] {
  return text
    .split('\n')
    .map(plainLine)
    .filter((line) => line.length <= MAX_LINE_LENGTH);
}

/** The text without its longer lines, each line as `plainLine` gives it. */
export function plainText(text: string): string {
  return plainLines(text).join('\n');
}

/**
 * No tool measures more: the fastest Ethernet carries 0.8 Tbit/s (IEEE 802.3df), and a memory's copies between two
 * processes of one host some Tbit/s. A tool that prints more, or less than nothing, has gone wrong.
 */
const MAX_BITS_PER_SECOND = 1e14;

/** @returns whether a tool can have measured this rate */
export function isRate(bitsPerSecond: number): boolean {
  return bitsPerSecond >= 0 && bitsPerSecond <= MAX_BITS_PER_SECOND;
}

/** @returns the pattern's first group as a number; undefined without a match or for text that is no number (`-nan`) */
export function numberIn(text: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text)?.[1];
  const value = digits === undefined ? NaN : Number(digits);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * The named groups of the first match. A group that took no part in the match is the empty string.
 *
 * @returns undefined without a match
 * @throws Error where the pattern has no group of such a name
 */
export function groupsIn<Name extends string>(
  text: string,
  pattern: RegExp,
  names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
  const match = pattern.exec(text);
  if (match === null) return undefined;
  const { groups = {} }: { groups?: Readonly<Record<string, string | undefined>> } = match;
  const entries = names.map((name) => {
    if (!(name in groups)) throw new Error(`${String(pattern)}: must have a group named ${name}`);
    return [name, groups[name] ?? ''] as const;
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}

/** What many programs print in front of another's lines, ping's own `-D` included. */
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const STAMP_PARTS = [
  // `date` and `ctime` print the year last, which elsewhere could be a number of packets.
  String.raw`${MONTH} +\d{1,2} \d\d:\d\d:\d\d(?: [A-Z]{3,4})? (?:19|20)\d\d`,
  String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?`,
  // With the day before or behind it: `24 Nov`, `Nov  24`.
  String.raw`(?:\d{1,2} +)?${MONTH}(?: +\d{1,2}(?![\d:.]))?`,
  // A date, a time, or both: `2026-11-24T17:07:11.123456789Z`.
  String.raw`\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?=[T \],:])T?(?:\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?`,
  String.raw`\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|[A-Z]{2,3}T|[+-]\d\d:?\d\d)\b)?`,
  // Seconds since 1970 or since the beginning, and a year.
  String.raw`\d{1,12}\.\d{1,9}`,
  String.raw`\d{10,13}`,
  String.raw`\d{4}(?=[\]:]? +(?:\d|[[-]))`,
].join('|');

/** The pattern of one or more times in front of a line, in brackets or not, without an anchor. */
export const STAMP = String.raw`(?:[[(]?(?:${STAMP_PARTS})[\])]?[:,|-]?(?: +[-|] +| +|$))+`;
const STAMP_OF_LINE = new RegExp(`^${STAMP}`);

/** The line without the times that precede it. */
export function withoutStamp(line: string): string {
  return line.replace(STAMP_OF_LINE, '');
}
