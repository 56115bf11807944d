/** `npm run fit -- FILE…` says which instance types hold the traffic of a trace; with --transfer, which carry a volume. */
import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ASSUMED_REGION, pricesOf } from '../domain/forecast/prices/price-table';
import { examinedTypes, largeEnough, type ExaminedType } from '../domain/fit/examined-type';
import { fitPicture } from '../domain/fit/picture';
import { STATISTICS, type Statistic } from '../domain/fit/traces/cloudwatch';
import { READABLE_TRACES, readTrace } from '../domain/fit/traces/read-trace';
import { refuse, traceOf, type ReadFile, type Trace } from '../domain/fit/traces/trace';
import { fitTransfer } from '../domain/fit/transfer';
import { chosen, fitTypes } from '../domain/fit/type-fit';
import { renderFit, renderTransfer } from '../domain/report/fit-page';
import { answerText, fitAnswer, transferAnswer, type FitAnswer } from '../domain/terminal/fit-table';
import { listed } from '../domain/answer/words';
import { formatPacketRate } from '../domain/text/format';
import { printable } from '../domain/text/printable';
import { quantityIn } from '../domain/text/units';
import { errorMessage } from '../lambdas/errors/aws-errors';
import { fileError, runCommand, terminalWidth, type CommandLine, type Refuse } from './command-line';
import { fileText } from './file-text';
import { measuredBuckets, STACK_USAGE } from './measured-buckets';
import { namedTypes, PUBLISHED_SOURCE, PUBLISHED_TYPES } from './published-types';

const USAGE = `usage: npm run --silent fit -- FILE… [--types LIST] [--vcpus N] [--memory GIB] [--statistic Sum|Average]
                                 [--stack NAME] [--region REGION] [--json] [--html OUT]
       npm run --silent fit -- --transfer SIZE [--within TIME] [--types LIST] [--vcpus N] [--memory GIB]
                                 [--stack NAME] [--region REGION] [--json] [--html OUT]

Says, without an account, which instance types hold the traffic of a trace: whether each type throttles the traffic
never, perhaps or certainly, when first and for how long. What the answer is based on is in docs/fit.md.
A FILE is ${READABLE_TRACES}. It is text or gzip; - is standard input.
--types      types and families, e.g. c5.xlarge,m6i; by default all ${PUBLISHED_TYPES.length} recorded types
--vcpus      only types with at least this many vCPUs
--memory     only types with at least this many GiB of memory
--statistic  statistic of CloudWatch's values, if the file does not say it: ${STATISTICS.join(' or ')}
--transfer   instead of a FILE: a volume such as 2TB, sent from full credits to a host that is no slower
--within     how long the transfer may take, e.g. 40min
${STACK_USAGE}
--region     the Region of the prices, as npm run prices fetched them (default: ${ASSUMED_REGION})
--json       prints one JSON object
--html       also writes the answer as a page, with a picture of the trace and of the credits; overwrites the file OUT
Exit code: 0; 1 when a file could not be read or written; 2 when the command line is wrong or the stack can't be read.`;

const text = { type: 'string' } as const;
const OPTIONS = {
  ...{
    types: text,
    vcpus: text,
    memory: text,
    statistic: text,
    transfer: text,
    within: text,
    stack: text,
    region: text,
    html: text,
  },
  json: { type: 'boolean' },
} as const;
type Line = CommandLine<typeof OPTIONS>;

async function fit({ values, positionals: files }: Line, refuseLine: Refuse): Promise<number> {
  let asked;
  try {
    asked = await askedBy(values, files);
  } catch (thrown) {
    return refuseLine(errorMessage(thrown));
  }
  const print = <Row extends ExaminedType>(json: object, answer: FitAnswer<Row>, page: () => string) => {
    try {
      if (values.html !== undefined) writeFileSync(values.html, page());
    } catch (thrown) {
      console.error(printable(`fit: --html ${values.html}: ${fileError(thrown)}`));
      return 1;
    }
    console.log(values.json ? printable(JSON.stringify(json)) : answerText(answer, terminalWidth()));
    return 0;
  };
  const { transfer, statistic, examined, sources, earlier } = asked;
  if (transfer !== undefined) {
    const types = fitTransfer(transfer.bits, transfer.withinSeconds, examined);
    const json = { transferBytes: transfer.bits / 8, withinSeconds: transfer.withinSeconds, types, notes: sources };
    const answer = transferAnswer(types, transfer, sources);
    return print(json, answer, () => renderTransfer(answer, earlier));
  }
  const trace = await traceIn(files, statistic);
  if (trace === undefined) return 1;
  const types = fitTypes(trace, examined);
  const { highestPacketsPerSecond: packets } = trace;
  const rate = formatPacketRate(packets ?? 0);
  const inPackets =
    packets === undefined
      ? []
      : [`The trace has at most ${rate} in an interval; no type's packet-rate allowance is recorded.`];
  const notes = [...trace.read, ...inPackets, ...sources];
  const { certainly, nearlyAll } = chosen(types);
  const cheapest = { certainly: certainly?.instanceType ?? null, nearlyAll: nearlyAll?.instanceType ?? null };
  const answer = fitAnswer(types, notes);
  const page = () => renderFit(answer, fitPicture(trace, types), earlier);
  return print({ cheapest, packetsPerSecond: packets ?? null, types, notes }, answer, page);
}

/** @throws Error for a value that is not allowed, or a stack that can't be read; it names the option */
async function askedBy(values: Line['values'], files: readonly string[]) {
  const { transfer, within, region = ASSUMED_REGION } = values;
  if ((files.length === 0) === (transfer === undefined) || (within !== undefined && transfer === undefined)) {
    refuse('FILE', 'given, or --transfer in its place (with or without --within)', transfer ?? within);
  }
  const statistic = STATISTICS.find((each) => each === values.statistic);
  if (statistic !== values.statistic) refuse('--statistic', STATISTICS.join(' or '), values.statistic);
  const names = values.types?.split(',').map((name) => name.trim());
  const types = names === undefined ? PUBLISHED_TYPES : namedTypes(names, '--types');
  const large = largeEnough(types, amount('--vcpus', values.vcpus), amount('--memory', values.memory));
  const { prices, priceList } = pricesOf(region);
  const measured = await measuredBuckets(values.stack, large);
  const { examined, unknown } = examinedTypes(large, prices, measured?.buckets);
  const bytes = transfer === undefined ? undefined : quantity('--transfer', transfer, 'bytes', '2TB');
  const withinSeconds = within === undefined ? Infinity : quantity('--within', within, 'seconds', '40min');
  return {
    ...{ statistic, examined, earlier: measured?.source },
    transfer: bytes === undefined ? undefined : { bits: 8 * bytes, withinSeconds },
    sources: [
      ...(unknown.length === 0
        ? []
        : [`Left out because AWS publishes no baseline for these types: ${listed(unknown)}.`]),
      ...(measured === undefined ? [] : [`Credits of ${measured.buckets.length} types: ${measured.source.text}.`]),
      `Instance types as of ${PUBLISHED_SOURCE.date}; ${priceList}.`,
    ],
  };
}

/** @returns undefined, and a message on standard error, if a file can't be read or they don't make a trace */
async function traceIn(files: readonly string[], statistic: Statistic | undefined): Promise<Trace | undefined> {
  let place = '';
  try {
    const read: ReadFile[][] = [];
    for (place of files) {
      let whole = '';
      for await (const piece of fileText(place)) whole += piece;
      read.push(readTrace(whole, basename(place), statistic));
    }
    place = 'fit';
    return traceOf(read.flat());
  } catch (thrown) {
    console.error(printable(`${place}: ${fileError(thrown)}`));
    return undefined;
  }
}

function amount(option: string, value: string | undefined): number | undefined {
  if (value !== undefined && !/^\d+(\.\d+)?$/.test(value)) refuse(option, 'a number', value);
  return value === undefined ? undefined : Number(value);
}

function quantity(option: string, value: string, dimension: 'bytes' | 'seconds', example: string): number {
  const found = quantityIn(value, dimension) ?? 0;
  return found > 0 ? found : refuse(option, `a number with a unit of ${dimension}, as ${example}`, value);
}

void runCommand({ name: 'fit', usage: USAGE, options: OPTIONS, run: fit });
