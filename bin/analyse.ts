/** `npm run analyse -- FILE… [--json]`: result files from anywhere, analysed without AWS and without the lab. */
import { readFileSync } from 'node:fs';
import { analyseOutput } from '../domain/measurement/analyse-output';
import { analysisTables } from '../domain/report/analysis-table';
import type { AnalysedFile } from '../domain/report/analysis-table';

const USAGE = `usage: npm run --silent analyse -- FILE… [--json]

Reads output of iperf3 (text, -J, --json-stream) and sockperf, prints what it shows.
--json  one object per file and line: file, tool, toolVersion, complete, statistics, verdict, warnings;
        of a file that can't be read: file, error
Exit code: 0, or 1 when a file could not be read, or 2 when the command line is wrong.`;

function main(args: readonly string[]): number {
  const flags = args.filter((argument) => argument.startsWith('-'));
  const files = args.filter((argument) => !argument.startsWith('-'));
  const unknown = flags.filter((flag) => !['--json', '--help', '-h'].includes(flag));
  if (flags.includes('--help') || flags.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  if (unknown.length > 0 || files.length === 0) {
    console.error(unknown.length > 0 ? `option: must be --json, got ${unknown.join(' ')}\n\n${USAGE}` : USAGE);
    return 2;
  }
  const asJson = flags.includes('--json');
  const analysedFiles: AnalysedFile[] = [];
  let exitCode = 0;
  for (const file of files) {
    try {
      const analysed = analyseOutput(decodeText(readFileSync(file)));
      if (asJson) console.log(JSON.stringify({ file, ...analysed }));
      else analysedFiles.push({ file, analysed });
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      if (asJson) console.log(JSON.stringify({ file, error }));
      else console.error(`${file}: ${error}`);
      exitCode = 1;
    }
  }
  if (analysedFiles.length > 0) console.log(analysisTables(analysedFiles));
  return exitCode;
}

/** A Windows shell redirects in UTF-16. */
function decodeText(bytes: Buffer): string {
  return bytes[0] === 0xff && bytes[1] === 0xfe ? bytes.toString('utf16le') : bytes.toString('utf8');
}

process.exitCode = main(process.argv.slice(2));
