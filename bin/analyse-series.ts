/**
 * `npm run analyse -- --series FILE…` reads one series per line and prints one prediction per line. Nothing is kept in
 * memory between lines.
 */
import { once } from 'node:events';
import { predict, readSeries } from './series-line';
import { textLines } from './text-lines';

/** @returns the exit code: 0, or 1 when a file or a line could not be read; all others are still predicted */
export async function analyseSeries(files: readonly string[]): Promise<number> {
  endQuietlyWithReader();
  let exitCode = 0;
  const report = (where: string, thrown: unknown) => {
    console.error(`${where}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    exitCode = 1;
  };
  for (const file of files) {
    let lineCount = 0;
    try {
      for await (const { number, text } of textLines(file)) {
        lineCount += 1;
        let printed: string;
        try {
          printed = `${JSON.stringify(predict(readSeries(text)))}\n`;
        } catch (thrown) {
          report(`${file}:${number}`, thrown);
          continue;
        }
        if (!process.stdout.write(printed)) await once(process.stdout, 'drain');
      }
      if (lineCount === 0) report(file, 'must hold a series per line, got an empty file');
    } catch (thrown) {
      report(file, thrown);
    }
  }
  return exitCode;
}

/** `… | head` closes the pipe when it has enough lines, which is no failure. */
function endQuietlyWithReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}
