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
