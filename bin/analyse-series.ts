/** `npm run analyse -- --series FILE…` prints a prediction per line of the files, and keeps one line in memory. */
import { once } from 'node:events';
import { classifySeries } from '../domain/detection/index';
import {
  predictionOf,
  rateIntervals,
  seriesWarnings,
  timeFault,
  type Prediction,
  type RateSeries,
} from '../domain/detection/prediction';
import type { Cause } from '../domain/model/verdict';
import { judgeShape } from '../domain/verdict/judge';
import { printable } from '../domain/text/printable';
import { errorMessage } from '../lambdas/errors/aws-errors';
import { PUBLISHED_TYPES, type NamedHosts } from './published-types';
import { textLines } from './file-text';

export const EXAMPLE_LINE = '{"id": "a", "t": [0, 1, 2], "bps": [2.0e9, 1.9e9, null], "dt": 1}';

/** @returns the exit code: 0, or 1 if a file or a line could not be read; the others are still predicted */
export async function analyseSeries(files: readonly string[], ends: NamedHosts): Promise<number> {
  endQuietlyWithReader();
  let exitCode = 0;
  let isFormUnknown = false;
  const report = (where: string, thrown: unknown) => {
    console.error(printable(`${where}: ${errorMessage(thrown)}`));
    exitCode = 1;
  };
  for (const file of files) {
    let lineCount = 0;
    try {
      for await (const { number, text } of textLines(file)) {
        lineCount += 1;
        try {
          const printed = `${printable(JSON.stringify(predict(readSeries(text), ends)))}\n`;
          if (!process.stdout.write(printed)) await once(process.stdout, 'drain');
        } catch (thrown) {
          report(`${file}:${number}`, thrown);
          isFormUnknown ||= thrown instanceof SeriesLineError;
        }
      }
      if (lineCount === 0) report(file, 'must hold a series per line, got an empty file');
    } catch (thrown) {
      report(file, thrown);
    }
  }
  // Printed once, because a file of another form has as many errors as lines.
  if (isFormUnknown) console.error(`a line has a whole series: ${EXAMPLE_LINE}`);
  return exitCode;
}

/** `… | head` closes the pipe as soon as it has its lines, which is not a failure. */
function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

/** The message names the field, what it must be, and what it is. */
class SeriesLineError extends Error {
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

/** The prediction printed for one series. */
export interface SeriesAnswer extends Prediction {
  readonly cause: Cause | null;
  /** The bucket that would follow if a drop of unknown cause were one of network credits; otherwise null. */
  readonly if_network_credits: Pick<Prediction, 'capacity_bits'> | null;
  /** How long the verdict took, in milliseconds, without reading. */
  readonly ms: number;
}

export function predict(series: RateSeries, ends: NamedHosts = {}): SeriesAnswer {
  const intervals = rateIntervals(series);
  const before = performance.now();
  const shape = classifySeries(intervals);
  const evidence = { ...ends, direction: 'forward', series: intervals, publishedTypes: PUBLISHED_TYPES } as const;
  const { kind, cause, bucket, ifNetworkCredits, confidence } = judgeShape(shape, { ...evidence, truncated: false });
  const ms = performance.now() - before;
  return {
    ...predictionOf(series.id, shape, seriesWarnings(series)),
    kind,
    cause,
    capacity_bits: bucket?.value ?? null,
    if_network_credits: ifNetworkCredits && { capacity_bits: ifNetworkCredits.bucket?.value ?? null },
    confidence,
    ms,
  };
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
