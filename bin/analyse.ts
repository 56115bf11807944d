/** `npm run analyse -- FILE…`: result files and series from anywhere, analysed without AWS and without the lab. */
import { READABLE_OUTPUTS } from '../domain/parsers/parse-tool-output';
import { analyseFiles } from './analyse-files';
import { analyseSeries } from './analyse-series';

const USAGE = `usage: npm run --silent analyse -- FILE… [--json]
       npm run --silent analyse -- --series FILE.jsonl[.gz]…

Reads output of ${READABLE_OUTPUTS}, prints what it shows.
--json    one object per file and line: file, tool, toolVersion, complete, statistics, verdict, warnings;
          of a file that can't be read: file, error
--series  the files (or standard input: -) hold one throughput series per line:
            {"id": "a", "t": [0, 1, 2, …], "bps": [2.0e9, 1.9e9, null, …], "dt": 1}
          t: where each sample begins, seconds; bps: bits per second; dt: length of a sample, left out: the usual
          distance of two. null and NaN are samples that are not there. One line each is printed as it is read: id,
          verdict (what the numbers show), throttled (a fall to a lower level is seen), onset_s with its 95 % interval
          onset_lo and onset_hi, burst_bps, baseline_bps, capacity_bits (the bucket), ms (time the detector took).
          A line that can't be read is named on standard error, and the others are predicted.
Exit code: 0, or 1 when a file or a line could not be read, or 2 when the command line is wrong.`;

const FLAGS = ['--json', '--series', '--help', '-h'];
const STANDARD_INPUT = '-';

async function main(args: readonly string[]): Promise<number> {
  const isSeries = args.includes('--series');
  const isFile = (argument: string) => !argument.startsWith('-') || (isSeries && argument === STANDARD_INPUT);
  const files = args.filter(isFile);
  const flags = args.filter((argument) => !isFile(argument));
  const unknown = flags.filter((flag) => !FLAGS.includes(flag));
  if (flags.includes('--help') || flags.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  if (unknown.length > 0 || files.length === 0) {
    const allowed = FLAGS.slice(0, -1).join(', ');
    console.error(
      unknown.length > 0 ? `option: must be one of ${allowed}, got ${unknown.join(' ')}\n\n${USAGE}` : USAGE,
    );
    return 2;
  }
  return isSeries ? analyseSeries(files) : analyseFiles(files, flags.includes('--json'));
}

void main(process.argv.slice(2)).then((exitCode) => {
  process.exitCode = exitCode;
});
