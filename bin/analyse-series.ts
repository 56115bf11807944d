/** `npm run analyse -- --series FILE…` prints one prediction per line of the files, and keeps no line in memory. */
import { once } from 'node:events';
import { printable } from '../domain/text/printable';
import { errorMessage } from '../lambdas/errors/aws-errors';
import type { NamedHosts } from './published-types';
import { EXAMPLE_LINE, predict, readSeries, SeriesLineError } from './series-line';
import { textLines } from './text-lines';

/** @returns the exit code: 0, or 1 when a file or a line could not be read; the others are still predicted */
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
  // Once, because a file of another form has as many errors as lines.
  if (isFormUnknown) console.error(`a line has a whole series: ${EXAMPLE_LINE}`);
  return exitCode;
}

/** `… | head` closes the pipe as soon as it has its lines, which is no failure. */
function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
