/** Analyses result files of the tools and prints tables, or one JSON object per line. */
import { readFileSync } from 'node:fs';
import { analyseOutput } from '../domain/analysis/analyse-output';
import { resultToJson } from '../domain/model/verdict-json';
import { analysisTables, type AnalysedFile } from '../domain/report/analysis-table';
import { errorMessage } from '../lambdas/shared/error-text';
import { encodingOf } from './text-lines';

/** @returns the exit code: 0, or 1 when a file could not be read */
export function analyseFiles(files: readonly string[], asJson: boolean): number {
  const analysedFiles: AnalysedFile[] = [];
  let exitCode = 0;
  for (const file of files) {
    try {
      const bytes = readFileSync(file);
      const analysed = analyseOutput(new TextDecoder(encodingOf(bytes)).decode(bytes));
      if (asJson) console.log(JSON.stringify({ file, ...resultToJson(analysed) }));
      else analysedFiles.push({ file, analysed });
    } catch (thrown) {
      const error = errorMessage(thrown);
      if (asJson) console.log(JSON.stringify({ file, error }));
      else console.error(`${file}: ${error}`);
      exitCode = 1;
    }
  }
  if (analysedFiles.length > 0) console.log(analysisTables(analysedFiles));
  return exitCode;
}
