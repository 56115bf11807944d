/**
 * Finds JSON objects in a text that holds more than JSON: iperf3 may print complaints before the first brace or after
 * the last one, and a process that was killed leaves its object incomplete.
 */

export interface FoundJson {
  readonly value: unknown;
  /** The text ended within the object; it holds everything up to its last whole part. */
  readonly isCutOff: boolean;
}

export interface JsonAndRest {
  readonly found: readonly FoundJson[];
  /** The text around the objects. */
  readonly rest: string;
}

/** A tool's output has no more braces that open no object; the limit bounds the work on a hostile file. */
const MAX_FALSE_STARTS = 8;

export function findJsonObjects(text: string): JsonAndRest {
  const found: FoundJson[] = [];
  const rest: string[] = [];
  let from = 0;
  let falseStarts = 0;
  for (;;) {
    const open = text.indexOf('{', from);
    if (open === -1 || falseStarts > MAX_FALSE_STARTS) break;
    const object = readObject(text, open);
    if (object === undefined) {
      falseStarts += 1;
      rest.push(text.slice(from, open + 1));
      from = open + 1;
      continue;
    }
    rest.push(text.slice(from, open));
    found.push({ value: object.value, isCutOff: object.isCutOff });
    from = object.end;
  }
  rest.push(text.slice(from));
  return { found, rest: rest.join('\n') };
}

function readObject(text: string, open: number): { value: unknown; isCutOff: boolean; end: number } | undefined {
  const scan = scanObject(text, open);
  if (scan.end !== undefined) {
    const value = parseLeniently(text.slice(open, scan.end));
    return value === undefined ? undefined : { value, isCutOff: false, end: scan.end };
  }
  if (scan.lastWhole === undefined) return undefined;
  const value = parseLeniently(text.slice(open, scan.lastWhole.end) + scan.lastWhole.closers);
  return value === undefined ? undefined : { value, isCutOff: true, end: text.length };
}

interface Scan {
  /** Index after the closing brace; absent when the text ends before that. */
  readonly end?: number;
  /** Where the last object inside was closed, and the brackets that would close everything around it. */
  readonly lastWhole?: { readonly end: number; readonly closers: string };
}

function scanObject(text: string, open: number): Scan {
  const closers: string[] = [];
  let lastWhole: Scan['lastWhole'];
  let isInString = false;
  for (let index = open; index < text.length; index++) {
    const character = text.charAt(index);
    if (isInString) {
      if (character === '\\') index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{') closers.push('}');
    else if (character === '[') closers.push(']');
    else if (character === '}' || character === ']') {
      if (closers.pop() !== character) return {};
      if (closers.length === 0) return { end: index + 1 };
      if (character === '}') lastWhole = { end: index + 1, closers: [...closers].reverse().join('') };
    }
  }
  return { lastWhole };
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

export function asRecords(value: unknown): JsonRecord[] {
  if (!Array.isArray(value)) return [];
  return value.map(asRecord).filter((record) => record !== undefined);
}

/** @returns undefined for anything but a finite number that is not negative: iperf3 measures nothing negative */
export function asAmount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
