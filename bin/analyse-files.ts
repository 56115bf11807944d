/** Analyses result files of the tools and prints tables, or one JSON object per line. */
import { analyseOutputs } from '../domain/analysis/analyse-output';
import { resultToJson } from '../domain/model/verdict-json';
import { analysisTables, type AnalysedFile } from '../domain/terminal/analysis-table';
import { printable } from '../domain/text/printable';
import { errorMessage } from '../lambdas/errors/aws-errors';
import { fileError } from './file-error';
import { PUBLISHED_TYPES, type NamedHosts } from './published-types';
import { resultText } from './result-text';
import { terminalWidth } from './terminal-width';

const CUT_OFF = 'the gzip file is cut off: what could be unpacked of it is analysed';

/** @returns the exit code: 0, or 1 when a file could not be read; the others are still analysed */
export async function analyseFiles(files: readonly string[], ends: NamedHosts, asJson: boolean): Promise<number> {
  const analysedFiles: AnalysedFile[] = [];
  let exitCode = 0;
  for (const file of files) {
    try {
      const { text, isCutOff } = await resultText(file);
      for (const found of analyseOutputs(text, { ...ends, publishedTypes: PUBLISHED_TYPES })) {
        const analysed = isCutOff ? { ...found, warnings: [CUT_OFF, ...found.warnings] } : found;
        if (asJson) console.log(printable(JSON.stringify({ file, ...resultToJson(analysed) })));
        else analysedFiles.push({ file: printable(file), analysed });
      }
    } catch (thrown) {
      if (asJson) console.log(printable(JSON.stringify({ file, error: errorMessage(thrown) })));
      else console.error(printable(`${file}: ${fileError(thrown)}`));
      exitCode = 1;
    }
  }
  if (analysedFiles.length > 0) console.log(analysisTables(analysedFiles, terminalWidth()));
  return exitCode;
}
