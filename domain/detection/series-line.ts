/** Reads one throughput series from a line of JSON, as `analyse --series` takes them. */
import { timeFault, type RateSeries } from './prediction';

export const EXAMPLE_LINE = '{"id": "a", "t": [0, 1, 2], "bps": [2.0e9, 1.9e9, null], "dt": 1}';

/** The message names the field, what it must be, and what it is. */
export class SeriesLineError extends Error {
  override readonly name = 'SeriesLineError';
}

/** @throws SeriesLineError for anything but a series; unknown fields are ignored */
export function readSeries(line: string): RateSeries {
  const value = parseJson(line);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new SeriesLineError(`line: must be an object with id, t and bps, got ${shown(value)}`);
  }
  const { id, t, bps, dt } = value as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string' && typeof id !== 'number') {
    throw new SeriesLineError(`id: must be a string or a number, got ${shown(id)}`);
  }
  const times = numbers('t', t);
  const rates = numbers('bps', bps);
  if (times.length !== rates.length) {
    throw new SeriesLineError(`bps: must have as many values as t (${times.length}), got ${rates.length}`);
  }
  if (dt === undefined || dt === null) return inSeconds({ id, t: times, bps: rates });
  if (typeof dt !== 'number' || !Number.isFinite(dt) || dt <= 0) {
    throw new SeriesLineError(`dt: must be seconds above 0, or left out, got ${shown(dt)}`);
  }
  return inSeconds({ id, t: times, bps: rates, dt });
}

function inSeconds(series: RateSeries): RateSeries {
  const fault = timeFault(series);
  if (fault !== null) throw new SeriesLineError(`t: ${fault}`);
  return series;
}

function numbers(field: string, value: unknown): number[] {
  if (!Array.isArray(value)) throw new SeriesLineError(`${field}: must be an array of numbers, got ${shown(value)}`);
  return (value as unknown[]).map((one, index) => {
    if (one === null) return NaN;
    if (typeof one === 'number') return one;
    throw new SeriesLineError(`${field}[${index}]: must be a number or null, got ${shown(one)}`);
  });
}

/** Matches whole strings first, even unterminated ones, so that a NaN within them is kept. */
const STRING_OR_NON_NUMBER = /"[^"\\]*(?:\\[^][^"\\]*)*(?:"|\\?$)|-?\b(?:NaN|Infinity|inf)\b/gi;

function parseJson(line: string, text = line): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    // Python and C libraries write NaN and Infinity, which JSON lacks. Such samples count as missing.
    const repaired = text.replace(STRING_OR_NON_NUMBER, (token) => (token.startsWith('"') ? token : 'null'));
    if (repaired !== text) return parseJson(line, repaired);
    throw new SeriesLineError(`line: must be JSON, got ${shown(line)} (${(thrown as Error).message})`);
  }
}

const SHOWN_CHARACTERS = 40;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
