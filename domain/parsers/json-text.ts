/** Finds JSON objects among other text: iperf3 prints complaints around them, and a killed one cuts its object off. */

import { printableMessage } from '../text/printable';
import { isRate } from './text-lines';

interface FoundJson {
  readonly value: unknown;
  /** Whether the text ended within the object; the value holds everything up to its last whole part. */
  readonly isCutOff: boolean;
  /** Index after the object. */
  readonly end: number;
}

/** At most this many braces that open no object are skipped; tools print fewer, and a hostile file may have many. */
const MAX_FALSE_STARTS = 8;

/** @returns the objects, and the text around them */
export function findJsonObjects(text: string): { readonly found: readonly FoundJson[]; readonly rest: string } {
  const found: FoundJson[] = [];
  const rest: string[] = [];
  let from = 0;
  let falseStarts = 0;
  for (;;) {
    const open = text.indexOf('{', from);
    if (open === -1 || falseStarts > MAX_FALSE_STARTS) break;
    const object = readObject(text, open);
    if (object === undefined) falseStarts += 1;
    else found.push(object);
    rest.push(text.slice(from, object === undefined ? open + 1 : open));
    from = object?.end ?? open + 1;
  }
  return { found, rest: [...rest, text.slice(from)].join('\n') };
}

/** @returns undefined if the brackets do not match, or nothing in the object is whole */
function readObject(text: string, start: number): FoundJson | undefined {
  let open: OpenBracket | undefined;
  let closedWhole: { readonly end: number; readonly within?: OpenBracket } | undefined;
  let isInString = false;
  for (let index = start; index < text.length; index++) {
    const character = text.charAt(index);
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{') open = { closer: '}', outer: open };
    else if (character === '[') open = { closer: ']', outer: open };
    else if (character === '}' || character === ']') {
      if (open?.closer !== character) return undefined;
      open = open.outer;
      const end = index + 1;
      if (open === undefined) return parsed(text.slice(start, end), { isCutOff: false, end });
      if (character === '}') closedWhole = { end, within: open };
    }
  }
  if (closedWhole === undefined) return undefined;
  const whole = text.slice(start, closedWhole.end) + closersOf(closedWhole.within);
  return parsed(whole, { isCutOff: true, end: text.length });
}

/** Open brackets as a list from the innermost, so that an earlier state is kept without a copy. */
interface OpenBracket {
  readonly closer: '}' | ']';
  readonly outer?: OpenBracket;
}

function closersOf(innermost: OpenBracket | undefined): string {
  const closers: string[] = [];
  for (let bracket = innermost; bracket !== undefined; bracket = bracket.outer) closers.push(bracket.closer);
  return closers.join('');
}

function parsed(json: string, found: Omit<FoundJson, 'value'>): FoundJson | undefined {
  const value = parseLeniently(json);
  return value === undefined ? undefined : { value, ...found };
}

/** The JSON library in iperf3 3.0 prints a division by zero as `nan`, which no other library reads. */
function parseLeniently(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(text.replace(/(:\s*)-?(?:nan|inf(?:inity)?)\b/gi, '$1null'));
    } catch {
      return undefined;
    }
  }
}

export type JsonRecord = Readonly<Record<string, unknown>>;

export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

/** @returns undefined for a text that is not a JSON object, such as a line that was cut off */
export function recordIn(text: string): JsonRecord | undefined {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function asRecords(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.map(asRecord).filter((record) => record !== undefined) : [];
}

/** @returns undefined for anything but a finite number that is not negative: iperf3 measures nothing negative */
export function asAmount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** @returns undefined for anything but a rate that a tool can have measured */
export function asRate(value: unknown): number | undefined {
  return typeof value === 'number' && isRate(value) ? value : undefined;
}

/** Reads one line of text: a name, a version or a message. */
export function asMessage(value: unknown): string | undefined {
  return typeof value === 'string' ? printableMessage(value) : undefined;
}

/** Reads text of many lines unchanged. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
