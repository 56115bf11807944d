/** Reads a tool's text: removes what terminals and other systems add to its lines, and extracts values by patterns. */

import { printable } from '../text/printable';

/** Longer lines, which no tool prints, are dropped, because some patterns take time quadratic in their length. */
export const MAX_LINE_LENGTH = 2000;

/** Removes colour codes and carriage returns, and makes control characters printable for later messages. */
export function plainLine(line: string): string {
  return printable(withoutEnd(line.replace(/\u001b\[[0-9;]*m/g, ''), '\r\u0000'));
}

/** Removes characters from the end of a text. `/[…]+$/` takes time that grows with the square of their number. */
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

/** The text without lines that are too long, each line as `plainLine` returns it. */
export function plainText(text: string): string {
  return plainLines(text).join('\n');
}

/**
 * No tool can measure more: the fastest Ethernet carries 0.8 Tbit/s (IEEE 802.3df), and copies in memory between two
 * processes of a host some Tbit/s. A tool that prints more, or a negative rate, has failed.
 */
const MAX_BITS_PER_SECOND = 1e13;

export function isRate(bitsPerSecond: number): boolean {
  return bitsPerSecond >= 0 && bitsPerSecond <= MAX_BITS_PER_SECOND;
}

/** @returns the pattern's first group as a number; undefined without a match or if it is not a number (`-nan`) */
export function numberIn(text: string, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text)?.[1];
  const value = digits === undefined ? NaN : Number(digits);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * Returns the named groups of the first match. A group that took no part in the match is the empty string.
 * @returns undefined without a match
 * @throws Error if the pattern has no group of such a name
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

/** Timestamps that many programs, and ping's own `-D`, print in front of a line. */
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const STAMP_PARTS = [
  // `date` and `ctime` print the year last. Elsewhere, such a number could be a number of packets.
  String.raw`${MONTH} +\d{1,2} \d\d:\d\d:\d\d(?: [A-Z]{3,4})? (?:19|20)\d\d`,
  String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?`,
  // The month with the day before or after it: `24 Nov`, `Nov  24`.
  String.raw`(?:\d{1,2} +)?${MONTH}(?: +\d{1,2}(?![\d:.]))?`,
  // A date, a time, or both: `2026-11-24T17:07:11.123456789Z`.
  String.raw`\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?=[T \],:])T?(?:\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?`,
  String.raw`\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|[A-Z]{2,3}T|[+-]\d\d:?\d\d)\b)?`,
  // Seconds since 1970 or since the start, and a year.
  String.raw`\d{1,12}\.\d{1,9}`,
  String.raw`\d{10,13}`,
  String.raw`\d{4}(?=[\]:]? +(?:\d|[[-]))`,
].join('|');

/** Matches one or more timestamps in front of a line, in brackets or not. It is not anchored. */
export const STAMP = String.raw`(?:[[(]?(?:${STAMP_PARTS})[\])]?[:,|-]?(?: +[-|] +| +|$))+`;
const STAMP_OF_LINE = new RegExp(`^${STAMP}`);

/** Removes the timestamps in front of a line. */
export function withoutStamp(line: string): string {
  return line.replace(STAMP_OF_LINE, '');
}
