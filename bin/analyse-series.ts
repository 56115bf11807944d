/** `npm run analyse -- --series FILE…` prints a prediction per line of the files, and keeps one line in memory. */
import { once } from 'node:events';
import { classifySeries } from '../domain/detection/index';
import {
  predictionOf,
  rateIntervals,
  seriesWarnings,
  type Prediction,
  type RateSeries,
} from '../domain/detection/prediction';
import { EXAMPLE_LINE, readSeries, SeriesLineError } from '../domain/detection/series-line';
import type { Cause } from '../domain/model/verdict';
import { judgeShape } from '../domain/verdict/judge';
import { printable } from '../domain/text/printable';
import { errorMessage } from '../lambdas/errors/aws-errors';
import { PUBLISHED_TYPES, type NamedHosts } from './published-types';
import { textLines } from './file-text';

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
      if (lineCount === 0) report(file, 'must hold one series per line, got an empty file');
    } catch (thrown) {
      report(file, thrown);
    }
  }
  // Printed once, because a file of another form has as many errors as lines.
  if (isFormUnknown) console.error(`each line must hold a whole series, such as ${EXAMPLE_LINE}`);
  return exitCode;
}

/** `… | head` closes the pipe as soon as it has its lines, which is not a failure. */
function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
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
