/** `npm run analyse -- FILE…` analyses result files and series from anywhere, without AWS and without the lab. */
import { analyseOutputs } from '../domain/analysis/analyse-output';
import { resultToJson } from '../domain/model/verdict-json';
import { analysisTables, type AnalysedFile } from '../domain/terminal/analysis-table';
import { READABLE_OUTPUTS } from '../domain/tools/parse-tool-output';
import { printable } from '../domain/text/printable';
import { EXAMPLE_LINE } from '../domain/detection/series-line';
import { analyseSeries } from './analyse-series';
import { errorMessage } from '../lambdas/errors/aws-errors';
import { fileError, runCommand, terminalWidth, type CommandLine, type Refuse } from './command-line';
import { namedHosts, PUBLISHED_TYPES, type NamedHosts } from './published-types';
import { resultText } from './result-text';

const USAGE = `usage: npm run --silent analyse -- FILE… [--sender TYPE] [--receiver TYPE] [--json]
       npm run --silent analyse -- --series FILE.jsonl[.gz]… [--sender TYPE] [--receiver TYPE]

Reads output of ${READABLE_OUTPUTS} and prints what it shows. A FILE is text or gzip; - is standard input. The output of
each tool in a file is analysed; if a tool has several outputs there, the last one that measured something is analysed.
The limits are in docs/analyse.md.
--sender, --receiver
          the instance types of the hosts that sent and received, e.g. c5.xlarge. If both are given, a fall to the published
          baseline of either type is attributed to network credits; without the options, the types that the fall fits are
          named as evidence.
--json    prints one object per line for each tool of each file: file, tool, toolVersion, complete, statistics, verdict,
          otherDirection (the other verdict, where both directions were measured at once), warnings; for a file that can't
          be read: file, error
--series  the files (or standard input: -) hold one throughput series per line:
            ${EXAMPLE_LINE}
          t: start of each sample in seconds; bps: bits per second; dt: length of a sample, by default the usual distance
          between two samples. null and NaN are missing samples. As soon as a line is read, its answer is printed: one line
          with id, kind (what happened), cause (why), throttled (whether the rate falls to a lower level), onset_s with its
          95 % interval onset_lo and onset_hi, burst_bps, baseline_bps, capacity_bits (the bucket, if the cause is
          network_credits), if_network_credits (the bucket if a drop of unknown cause were due to network credits),
          confidence (in kind, 0 to 1; null if kind is insufficient), warnings (sentences about long gaps, and about times
          that go back or may be milliseconds) and ms (how long the verdict took). A line that can't be read, or whose times
          are surely milliseconds, is reported on standard error; all other lines are still answered.
Exit code: 0; 1 when a file or a line could not be read (all others were still analysed); 2 when the command line is
wrong. A file whose measurement failed or is incomplete still counts as read.`;

const flag = { type: 'boolean' } as const;
const text = { type: 'string' } as const;
const OPTIONS = { json: flag, series: flag, sender: text, receiver: text } as const;

async function analyse({ values, positionals: files }: CommandLine<typeof OPTIONS>, refuse: Refuse): Promise<number> {
  if (files.length === 0) {
    console.error(USAGE);
    return 2;
  }
  let ends;
  try {
    ends = namedHosts(values);
  } catch (thrown) {
    return refuse(errorMessage(thrown));
  }
  return values.series ? analyseSeries(files, ends) : analyseFiles(files, ends, values.json ?? false);
}

const CUT_OFF = 'the gzip file is cut off: only the part that could be unpacked is analysed';

/** Prints tables, or one JSON object per line. Returns exit code 1 if a file could not be read, otherwise 0. */
async function analyseFiles(files: readonly string[], ends: NamedHosts, asJson: boolean): Promise<number> {
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

void runCommand({ name: 'analyse', usage: USAGE, options: OPTIONS, run: analyse });
